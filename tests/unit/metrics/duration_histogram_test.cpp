#include "gpucap/metrics/duration_histogram.hpp"

#include "gpucap/core/random.hpp"

#include "rows.hpp"
#include "support/catch.hpp"

using namespace gpucap;
using namespace gpucap::metrics;

namespace {

using Range = DurationHistogram::Range;

Range range_of(std::int64_t ns) {
  DurationHistogram one;
  one.add(SimTime{ns}, 1);
  return one.at_rank(1);
}

/// The run step by step.
DurationHistogram singly(const record::TokenGaps& run) {
  DurationHistogram histogram;
  for (std::int64_t i = 0; i < run.steps; ++i) {
    histogram.add(shown(run.first + run.growth * i), run.count);
  }
  return histogram;
}

}  // namespace

TEST_CASE("single nanoseconds below 4096, then 2048 ranges for each power of two") {
  CHECK(range_of(0) == Range{0, 1});
  CHECK(range_of(2047) == Range{2047, 1});
  CHECK(range_of(4095) == Range{4095, 1});
  // 2^12 <= 4097: 2^12 / 2^11 = 2 ns wide.
  CHECK(range_of(4096) == Range{4096, 2});
  CHECK(range_of(4097) == Range{4096, 2});
  CHECK(range_of(4098) == Range{4098, 2});
  // 2^19 <= 1,000,000: 256 ns wide, and 3,906 x 256 = 999,936.
  CHECK(range_of(1'000'000) == Range{999'936, 256});
  // The last of all is 2^51 wide and ends with the last nanosecond.
  constexpr std::int64_t last = std::numeric_limits<std::int64_t>::max();
  CHECK(range_of(last) == Range{last - (std::int64_t{1} << 51) + 1, std::int64_t{1} << 51});
}

TEST_CASE("every duration lies in its range, half of which is at most 1/4096 of it") {
  RandomStream random(1, "durations");
  for (int i = 0; i < 20'000; ++i) {
    const std::int64_t ns =
        random.uniform_int(0, std::numeric_limits<std::int64_t>::max()) >> (i % 63);
    const Range range = range_of(ns);
    REQUIRE(range.low <= ns);
    REQUIRE(ns - range.low < range.width);
    // Half a width: 2 x 2048 half widths are 2048 widths. One nanosecond is exact.
    REQUIRE((range.width == 1 || range.width <= range.low / 2048));
  }
}

TEST_CASE("ranks are counted from the least value up") {
  DurationHistogram histogram;
  histogram.add(at_ms(9), 1);
  histogram.add(SimTime{5}, 2);
  CHECK(histogram.at_rank(1).low == 5);
  CHECK(histogram.at_rank(2).low == 5);
  CHECK(histogram.at_rank(3) == range_of(9'000'000));
}

TEST_CASE("a run told at once counts like its steps told one by one") {
  RandomStream random(2, "runs");
  for (int i = 0; i < 2'000; ++i) {
    // From 1 ns up to 19 h (2^66 ticks), so that 64 bits do not always do; growth from nothing to
    // 2^10 times the first gap over the run.
    const std::int64_t steps = random.uniform_int(1, 60);
    const Ticks first{Ticks::Wide{random.uniform_int(0, std::int64_t{1} << 62)} << 4 >> (i % 47)};
    const Ticks growth{(first.count << 10) / steps >> random.uniform_int(0, 40)};
    const record::TokenGaps run{first, random.uniform_int(1, 9), steps, growth};
    DurationHistogram at_once;
    at_once.add(run);
    REQUIRE(at_once == singly(run));
    DurationHistogram backwards;
    backwards.add({first + growth * (steps - 1), run.count, steps, Ticks{} - growth});
    REQUIRE(backwards == at_once);
  }
}

TEST_CASE("a step whose gap ends on the last nanosecond of a range still belongs to it") {
  // Ranges of 2 ns from 4096: 4096 and 4097 share one. Steps of exactly 1 ns from 4096 on.
  const record::TokenGaps run{to_ticks(SimTime{4096}), 1, 5, to_ticks(SimTime{1})};
  DurationHistogram histogram;
  histogram.add(run);
  CHECK(histogram == singly(run));
  CHECK(histogram.at_rank(2).low == 4096);
  CHECK(histogram.at_rank(3).low == 4098);
}

TEST_CASE("adding a histogram adds its counts") {
  DurationHistogram a, b, both;
  for (std::int64_t ms = 1; ms <= 40; ++ms) {
    (ms % 3 == 0 ? a : b).add(at_ms(ms), ms);
    both.add(at_ms(ms), ms);
  }
  a.add(b);
  CHECK(a == both);
}
