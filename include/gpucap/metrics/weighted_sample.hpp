#pragma once

#include "gpucap/core/statistics.hpp"
#include "gpucap/units/sim_time.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace gpucap::metrics {

/// Durations that come many at a time. Percentiles are exact nearest ranks over the whole sample,
/// of durations shown in nanoseconds (rounded up, like every time that is shown); the mean comes
/// from the exact sum. Memory follows the number of different durations, not of occurrences.
class WeightedSample {
 public:
  /// `count` occurrences of `value`; none is no sample.
  void add(Ticks value, std::int64_t count);
  [[nodiscard]] Summary summary() const;

 private:
  struct Entry {
    std::int64_t ns;
    std::int64_t count;
  };
  static std::vector<Entry> merged(std::vector<Entry> entries);

  std::vector<Entry> entries_;
  std::size_t merge_at_ = std::size_t{1} << 16;
  Ticks sum_;
  std::int64_t n_ = 0;
};

}  // namespace gpucap::metrics
