#pragma once

#include "gpucap/core/statistics.hpp"
#include "gpucap/metrics/duration_histogram.hpp"
#include "gpucap/units/sim_time.hpp"

#include <cstdint>
#include <utility>
#include <vector>

namespace gpucap::metrics {

/// Durations that count as often as their weights say. A percentile is the least duration such that
/// at least that share of the weight is not above it: exact up to `exact_limit` durations, then
/// within a range of DurationHistogram. The mean is exact.
class WeightedSample {
 public:
  static constexpr std::size_t exact_limit = std::size_t{1} << 17;

  /// Throws std::logic_error for a duration or a weight below zero.
  void add(SimTime value, std::int64_t weight);
  /// In seconds; n is the number of durations. One of weight zero counts in n and max alone.
  [[nodiscard]] Summary summary() const;

 private:
  [[nodiscard]] double percentile(const std::vector<std::pair<SimTime, std::int64_t>>& sorted,
                                  double percent) const;
  void spill();

  std::int64_t n_ = 0, weight_ = 0;
  Ticks::Wide sum_ = 0;
  SimTime greatest_;
  std::vector<std::pair<SimTime, std::int64_t>> values_;  ///< while exact
  DurationHistogram histogram_;
};

}  // namespace gpucap::metrics
