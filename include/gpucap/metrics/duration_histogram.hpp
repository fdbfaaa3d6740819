#pragma once

#include "gpucap/record/sink.hpp"
#include "gpucap/units/sim_time.hpp"

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace gpucap::metrics {

/// Counts of durations in whole nanoseconds from zero up, by ranges that grow with them: single
/// nanoseconds below 2^11, then 2^11 equal ranges for each power of two, so that half a range is at
/// most 1/4096 of the duration. A power of two takes 16 KiB, from its first duration on; all of
/// them together would take 848 KiB.
class DurationHistogram {
 public:
  static constexpr double relative_half_width = 1.0 / 4096;

  /// The durations low ... low + width - 1 ns.
  struct Range {
    std::int64_t low = 0, width = 1;
    bool operator==(const Range&) const = default;
  };

  void add(SimTime value, std::int64_t count);
  /// Every gap of the run as it is shown; costs as many additions as the run spans ranges.
  void add(const record::TokenGaps& run);
  void add(const DurationHistogram& other);

  /// The range that holds the value of this rank, counted from 1 for the least.
  [[nodiscard]] Range at_rank(std::int64_t rank) const;

  bool operator==(const DurationHistogram&) const = default;

 private:
  static constexpr int sub_bits = 11;
  static constexpr std::int64_t sub_count = std::int64_t{1} << sub_bits;

  /// Which power of two, 0 for all below 2^11, and which of its ranges.
  struct Place {
    std::size_t power;
    std::size_t sub;
  };
  static Place place_of(SimTime value);
  static Range range_at(Place place);
  std::int64_t& count_at(Place place);

  std::array<std::vector<std::int64_t>, 64 - sub_bits> counts_;
};

inline DurationHistogram::Place DurationHistogram::place_of(SimTime value) {
  constexpr std::uint64_t mask = sub_count - 1;
  const auto ns = static_cast<std::uint64_t>(value.ns);
  const auto power = static_cast<std::size_t>(std::bit_width(ns | mask)) - sub_bits;
  return {power, (ns >> (power > 0 ? power - 1 : 0)) & mask};
}

inline std::int64_t& DurationHistogram::count_at(Place place) {
  std::vector<std::int64_t>& counts = counts_[place.power];
  if (counts.empty()) counts.resize(sub_count);
  return counts[place.sub];
}

inline void DurationHistogram::add(SimTime value, std::int64_t count) {
  count_at(place_of(value)) += count;
}

}  // namespace gpucap::metrics
