#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <utility>

#include "world.hpp"

namespace gpucap::cluster {

/// Jobs whose number of GPUs may change. A resize stops a job in order: it writes its state and
/// restarts before it works on.
class Elastic {
 public:
  explicit Elastic(World& world) : world_(world) {}

  struct Smaller {
    std::size_t group = 0;
    std::int64_t thousandths = 0;
    Placement placement;
  };
  /// The largest number of GPUs below its own on which a job of this demand could start now.
  [[nodiscard]] std::optional<Smaller> shrunk(const Demand& demand);

  /// Brings one job that has grown back to its own number, the last one submitted; false when there
  /// is none in these groups. One that ends before a resize would be over stays as it is.
  bool give_back(std::uint64_t group_bits);
  /// Lets running jobs take what is free, in order of submit.
  void grow();

  /// To be told of every job that starts, and before it ends.
  void note(std::uint32_t job);
  void forget(std::uint32_t job);

 private:
  using ByArrival = std::set<std::pair<std::uint64_t, std::uint32_t>>;

  [[nodiscard]] SimTime pause(const LiveJob& live) const;
  [[nodiscard]] SimTime time_left(const LiveJob& live) const;
  [[nodiscard]] bool worth_growing(const LiveJob& live, std::int64_t thousandths) const;
  [[nodiscard]] bool could_move(const LiveJob& live, std::int64_t thousandths);
  [[nodiscard]] bool grow_one(std::uint32_t job);
  void resize(std::uint32_t job, std::int64_t thousandths);
  void note_grown(std::uint32_t job);

  World& world_;
  ByArrival running_;  ///< elastic ones
  ByArrival grown_;    ///< those above their own number
};

}  // namespace gpucap::cluster
