#pragma once

#include "gpucap/core/random.hpp"
#include "gpucap/units/parse.hpp"
#include "gpucap/units/quantity.hpp"
#include "gpucap/units/sim_time.hpp"

#include <cstdint>
#include <optional>
#include <variant>

namespace gpucap::workload {

/// When generated requests enter. The first one enters at 0, so n requests span n - 1 gaps.
class Arrivals {
 public:
  /// Equal gaps; request i enters at i / rate, without drift.
  static Parsed<Arrivals> constant(Frequency rate);
  /// Independent exponential gaps.
  static Parsed<Arrivals> poisson(Frequency rate);
  /// Gamma gaps of shape `burstiness` and mean 1 / rate, as serving benchmarks define burstiness:
  /// the coefficient of variation is 1 / sqrt(burstiness); 1 is Poisson, less is burstier.
  static Parsed<Arrivals> gamma(Frequency rate, double burstiness);
  /// Everything at 0.
  static Arrivals all_at_once();
  /// `clients` clients, each with one request under way.
  static Parsed<Arrivals> closed_loop(std::int64_t clients);

  /// Clients of a closed loop, absent in an open one.
  [[nodiscard]] std::optional<std::int64_t> clients() const;

 private:
  friend class ArrivalClock;
  struct Constant {
    Seconds gap;
  };
  struct Gamma {
    double shape;
    Seconds scale;
  };
  struct AllAtOnce {};
  struct ClosedLoop {
    std::int64_t clients;
  };
  using Shape = std::variant<Constant, Gamma, AllAtOnce, ClosedLoop>;

  explicit Arrivals(Shape shape) : shape_(shape) {}
  Shape shape_;
};

/// Arrival instants one after the other, never decreasing; random gaps come from the stream
/// "arrivals". In a closed loop all are 0: the clients set the pace.
class ArrivalClock {
 public:
  ArrivalClock(std::uint64_t seed, Arrivals arrivals);
  /// Throws std::out_of_range beyond about 292 years of simulated time.
  SimTime next();

 private:
  Seconds gap_sum();

  Arrivals arrivals_;
  RandomStream random_;
  std::int64_t issued_ = 0;
  Seconds random_gaps_;
};

}  // namespace gpucap::workload
