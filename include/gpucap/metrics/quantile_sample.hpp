#pragma once

#include "gpucap/core/statistics.hpp"
#include "gpucap/metrics/duration_histogram.hpp"
#include "gpucap/record/sink.hpp"
#include "gpucap/units/quantity.hpp"
#include "gpucap/units/sim_time.hpp"

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace gpucap::metrics {

/// Durations by the million, in bounded memory. Up to `exact_limit` of them are kept as they are
/// and percentiles are exact nearest ranks; beyond, whole nanoseconds are counted in a histogram
/// and a percentile is the middle of the range in which it lies: within `relative_half_width` of
/// the exact one (below 2^11 ns: within half a nanosecond). Number, least, greatest and mean are
/// exact either way. All of it follows from the values alone, in whatever order and pieces they
/// come.
///
/// Value: SimTime (an interval in whole nanoseconds) or Seconds (a ratio, e.g. a time per token).
template <class Value>
class QuantileSample {
 public:
  static constexpr std::int64_t exact_limit = std::int64_t{1} << 17;

  /// Throws std::logic_error for a duration below zero, as does everything that adds.
  void add(Value value);
  /// Every gap of a run, shown rounded up to the nanosecond; the mean is that of the exact gaps.
  void add(const record::TokenGaps& run) requires std::same_as<Value, SimTime>;
  /// As if everything had been added to one.
  void merge(const QuantileSample& other);

  [[nodiscard]] bool exact() const { return n_ <= exact_limit; }
  [[nodiscard]] Summary summary() const;

 private:
  /// Counts values that the caller keeps next (true) or puts into `histogram_` (false).
  bool make_room(std::int64_t count, Value least, Value greatest, Ticks sum);
  void spill();
  void keep(const record::TokenGaps& run) requires std::same_as<Value, SimTime>;
  /// All that is kept, run by run and step by step; while exact.
  [[nodiscard]] std::vector<Value> kept() const;
  [[noreturn]] static void refuse_negative();

  std::int64_t n_ = 0;
  Value least_{}, greatest_{};
  Ticks sum_;
  // While exact, each value stands in one of these two. Most runs tell hundreds of gaps, and are
  // asked for at the end only, or never when more follow.
  std::vector<Value> values_;
  std::vector<record::TokenGaps> runs_;
  DurationHistogram histogram_;
};

using DurationSample = QuantileSample<SimTime>;
using RatioSample = QuantileSample<Seconds>;

/// The nanosecond that a duration falls into.
constexpr SimTime whole_ns(SimTime duration) {
  return duration;
}
inline SimTime whole_ns(Seconds duration) {
  return {static_cast<std::int64_t>(duration.in(unit::ns))};
}

/// What a duration, never below zero, adds to a sum.
constexpr Ticks summand(SimTime duration) {
  return to_ticks(duration);
}
/// Nearest tick. Conversion to 64 bits, where they suffice, costs a tenth of that to 128.
inline Ticks summand(Seconds duration) {
  const double ticks = duration.in(unit::ns) * (1 << Ticks::fraction_bits);
  if (ticks < 0x1p62) return {static_cast<std::int64_t>(ticks + 0.5)};
  return to_ticks(duration);
}

template <class Value>
inline bool QuantileSample<Value>::make_room(std::int64_t count, Value least, Value greatest,
                                             Ticks sum) {
  if (least < Value{}) [[unlikely]]
    refuse_negative();
  if (n_ == 0 || least < least_) least_ = least;
  if (n_ == 0 || greatest > greatest_) greatest_ = greatest;
  n_ += count;
  sum_ += sum;
  if (exact()) return true;
  if (!values_.empty() || !runs_.empty()) spill();
  return false;
}

template <class Value>
inline void QuantileSample<Value>::add(Value value) {
  if (make_room(1, value, value, summand(value))) {
    values_.push_back(value);
  } else {
    histogram_.add(whole_ns(value), 1);
  }
}

extern template class QuantileSample<SimTime>;
extern template class QuantileSample<Seconds>;

}  // namespace gpucap::metrics
