#include "gpucap/metrics/quantile_sample.hpp"

#include "gpucap/core/random.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <stdexcept>

#include "rows.hpp"
#include "support/catch.hpp"

using namespace gpucap;
using namespace gpucap::metrics;

namespace {

constexpr std::int64_t limit = DurationSample::exact_limit;

void add_gap(DurationSample& sample, SimTime gap, std::int64_t count) {
  sample.add({to_ticks(gap), count});
}

/// `n` durations that `draw` makes of numbers in (0, 1).
std::vector<SimTime> durations(std::int64_t n, const std::function<double(double)>& draw) {
  RandomStream random(7, "durations");
  std::vector<SimTime> values;
  for (std::int64_t i = 0; i < n; ++i) {
    const double u = (static_cast<double>(random.uniform_int(1, 999'999'999)) + 0.5) * 1e-9;
    values.push_back({static_cast<std::int64_t>(draw(u))});
  }
  return values;
}

Summary exact_summary(const std::vector<SimTime>& values) {
  std::vector<double> seconds;
  for (const SimTime value : values) seconds.push_back(as_seconds(value));
  return summarize(std::move(seconds));
}

void check_percentiles(const Summary& found, const Summary& wanted, double error) {
  for (const auto member : {&Summary::p50, &Summary::p90, &Summary::p95, &Summary::p99}) {
    // 1e-15: seconds are doubles.
    CHECK(std::abs(*(found.*member) - *(wanted.*member)) <= (error + 1e-15) * *(wanted.*member));
  }
}

/// Runs of gaps as a simulation tells them, `tokens` or a little more in all.
std::vector<record::TokenGaps> random_runs(std::int64_t tokens) {
  RandomStream random(11, "runs");
  std::vector<record::TokenGaps> runs;
  for (std::int64_t told = 0; told < tokens; told += runs.back().steps * runs.back().count) {
    const Ticks growth{Ticks::Wide{random.uniform_int(-2, 20)} << 28};
    runs.push_back({{Ticks::Wide{random.uniform_int(10'000'000, 60'000'000)} << 20},
                    random.uniform_int(1, 64),
                    random.uniform_int(1, 200),
                    growth});
  }
  return runs;
}

void add_singly(DurationSample& sample, const record::TokenGaps& run) {
  for (std::int64_t i = run.steps - 1; i >= 0; --i) {
    sample.add({run.first + run.growth * i, run.count});
  }
}

}  // namespace

TEST_CASE("percentiles of weighted gaps are those of the expanded sample") {
  // Random weights, few different values so that equal ones meet; 4.5 x 20,000 gaps are exact.
  RandomStream random(3, "gaps");
  DurationSample sample;
  std::vector<SimTime> expanded;
  for (int i = 0; i < 20'000; ++i) {
    const SimTime gap = at_ms(random.uniform_int(1, 200));
    const std::int64_t count = random.uniform_int(0, 9);
    add_gap(sample, gap, count);
    expanded.insert(expanded.end(), static_cast<std::size_t>(count), gap);
  }
  const Summary wanted = exact_summary(expanded);
  const Summary summary = sample.summary();
  CHECK(summary.n == wanted.n);
  CHECK(summary.max == wanted.max);
  CHECK(*summary.mean == Approx(*wanted.mean).epsilon(1e-12));
  CHECK(summary.quantile_error == 0);
  check_percentiles(summary, wanted, 0);
}

TEST_CASE("one gap of 9 ms among 99 of 1 ms is the maximum and no percentile") {
  // n = 100: rank 99 is the last 1 ms; mean (99 x 1 + 9) / 100 = 1.08 ms.
  DurationSample sample;
  add_gap(sample, at_ms(9), 1);
  add_gap(sample, at_ms(1), 99);
  CHECK(*sample.summary().p99 == Approx(0.001));
  CHECK(*sample.summary().max == Approx(0.009));
  CHECK(*sample.summary().mean == Approx(0.00108));
  // One occurrence more moves rank ceil(0.99 x 101) = 100 to the first of two 9 ms.
  add_gap(sample, at_ms(9), 1);
  CHECK(*sample.summary().p99 == Approx(0.009));
}

TEST_CASE("1..20 ms have p95 19 and p99 20, one value is every percentile") {
  DurationSample sample;
  for (int ms = 20; ms >= 1; --ms) sample.add(at_ms(ms));
  CHECK(*sample.summary().p50 == Approx(0.010));
  CHECK(*sample.summary().p95 == Approx(0.019));
  CHECK(*sample.summary().p99 == Approx(0.020));
  DurationSample one;
  one.add(at_ms(4));
  CHECK(*one.summary().p50 == Approx(0.004));
  CHECK(one.summary().mean == one.summary().max);
}

TEST_CASE("a gap below a nanosecond is shown as one and averaged as it is") {
  // 3 gaps of 2^19 ticks: half a nanosecond each.
  DurationSample sample;
  sample.add({{1 << 19}, 3});
  CHECK(*sample.summary().p50 == Approx(1e-9));
  CHECK(*sample.summary().mean == Approx(0.5e-9));
}

TEST_CASE("no gap and gaps of nobody have no percentiles") {
  DurationSample sample;
  sample.add({to_ticks(at_ms(5)), 0});
  sample.add({to_ticks(at_ms(5)), 3, 0});
  CHECK(sample.summary().n == 0);
  CHECK_FALSE(sample.summary().mean.has_value());
  CHECK_FALSE(sample.summary().max.has_value());
}

TEST_CASE("a duration below zero is a fault of the program, however many came before") {
  DurationSample sample;
  CHECK_THROWS_AS(sample.add(SimTime{-1}), std::logic_error);
  // 3 ms shrinking by 1 ms: the fifth step would be at -1 ms.
  CHECK_THROWS_AS(sample.add({to_ticks(at_ms(3)), limit, 5, Ticks{} - to_ticks(at_ms(1))}),
                  std::logic_error);
  sample.add({to_ticks(at_ms(3)), limit, 4, Ticks{} - to_ticks(at_ms(1))});
  CHECK_THROWS_AS(sample.add(SimTime{-1}), std::logic_error);
}

TEST_CASE("131,072 durations are exact and one more makes percentiles a sketch") {
  // 1..131,072 us: rank ceil(0.95 x 131,072) = 124,519. With one more of 0 rank 124,520 of 131,073
  // is 124,519 us again, in a range of 2^(26 - 11) = 32,768 ns from 3,800 x 32,768 = 124,518,400.
  DurationSample sample;
  for (std::int64_t us = limit; us >= 1; --us) sample.add(SimTime{us * 1000});
  CHECK(sample.summary().quantile_error == 0);
  CHECK(*sample.summary().p95 == 124'519'000 * 1e-9);
  sample.add(SimTime{0});
  const Summary sketch = sample.summary();
  CHECK(sketch.quantile_error == 1.0 / 4096);
  CHECK(*sketch.p95 == (124'518'400 + 16'384) * 1e-9);
  CHECK(sketch.n == 131'073);
  CHECK(*sketch.max == 131'072'000 * 1e-9);
  // Sum 131,072 x 131,073 / 2 us over 131,073.
  CHECK(*sketch.mean == Approx(0.065536).epsilon(1e-15));
}

TEST_CASE("tokens are counted, not steps: 64 sequences pass the limit in 2,049 steps") {
  DurationSample sample;
  sample.add({to_ticks(at_ms(20)), 64, 2048});
  CHECK(sample.exact());
  sample.add({to_ticks(at_ms(20)), 64});
  CHECK_FALSE(sample.exact());
  // The middle of the range of 20 ms is 20,004,864; no percentile passes the maximum.
  CHECK(*sample.summary().p99 == 0.020);
}

TEST_CASE("percentiles beyond the limit are within 1/4096 of the exact ones") {
  const std::vector<std::function<double(double)>> shapes = {
      [](double u) { return 1e9 * u; },                    // even over a second
      [](double u) { return 20e6 * std::pow(u, -0.7); },   // a heavy tail from 20 ms
      [](double u) { return -3e7 * std::log(u); },         // exponential, 30 ms
      [](double u) { return u < 0.93 ? 7e3 : 40e9 * u; },  // two places, far apart
      [](double u) { return 4000 * u; },                   // single nanoseconds: exact
  };
  for (const auto& shape : shapes) {
    const std::vector<SimTime> values = durations(2 * limit, shape);
    DurationSample sample;
    for (const SimTime value : values) sample.add(value);
    const Summary wanted = exact_summary(values);
    const Summary found = sample.summary();
    check_percentiles(found, wanted, found.quantile_error);
    CHECK(found.n == wanted.n);
    CHECK(found.max == wanted.max);
    CHECK(*found.mean == Approx(*wanted.mean).epsilon(1e-12));
  }
}

TEST_CASE("no bit depends on order, on how runs are cut, or on which part came from where") {
  // Below the limit, on both sides of it, and far beyond.
  for (const std::int64_t tokens : {limit / 4, limit, 20 * limit}) {
    const auto runs = random_runs(tokens);
    DurationSample at_once, singly, parts[3];
    for (const auto& run : runs) at_once.add(run);
    for (auto run = runs.rbegin(); run != runs.rend(); ++run) add_singly(singly, *run);
    for (std::size_t i = 0; i < runs.size(); ++i) parts[i % 7 == 0 ? 0 : 1 + i % 2].add(runs[i]);
    parts[0].merge(parts[1]);  // of the second case: two exact ones, together too many
    parts[2].merge(parts[0]);
    CHECK(at_once.summary() == singly.summary());
    CHECK(at_once.summary() == parts[2].summary());
    CHECK(at_once.exact() == (tokens < limit));
  }
}

TEST_CASE("merging nothing changes nothing, merging into nothing copies") {
  DurationSample some, none;
  some.add(at_ms(3));
  some.add(at_ms(8));
  const Summary before = some.summary();
  some.merge(none);
  CHECK(some.summary() == before);
  none.merge(some);
  CHECK(none.summary() == before);
}

TEST_CASE("a run of a million million steps costs the ranges that it spans") {
  // From 1 ms up by 2^-20 ns: the last gap is 1 ms + (1e12 - 1) / 2^20 ns = 1,953,674.3 ns. p50 is
  // step 5e11: 1,476,837.2 ns; the mean lies half a step lower.
  DurationSample sample;
  sample.add({to_ticks(at_ms(1)), 2, 1'000'000'000'000, {1}});
  CHECK(sample.summary().n == 2'000'000'000'000);
  CHECK(*sample.summary().p50 == Approx(1.4768372e-3).epsilon(1.0 / 4096));
  CHECK(*sample.summary().mean == Approx(1.4768371582e-3).epsilon(1e-10));
  CHECK(*sample.summary().max == Approx(1.953675e-3).epsilon(1e-9));
}

TEST_CASE("ratios keep every digit below the limit, the bound beyond, and their mean either way") {
  // Decoding over gaps, in both orders: sums of doubles would differ.
  for (const std::int64_t n : {std::int64_t{1000}, limit, 2 * limit}) {
    const auto decoding = durations(n, [](double u) { return 5e9 * u; });
    std::vector<double> seconds;
    for (std::size_t i = 0; i < decoding.size(); ++i) {
      seconds.push_back(as_seconds(decoding[i]) / static_cast<double>(1 + i % 977));
    }
    RatioSample forward, backward;
    for (const double s : seconds) forward.add(s * unit::s);
    std::for_each(seconds.rbegin(), seconds.rend(), [&](double s) { backward.add(s * unit::s); });
    const Summary wanted = summarize(seconds);
    CHECK(forward.summary() == backward.summary());
    check_percentiles(forward.summary(), wanted, n > limit ? 1.0 / 4096 : 0);
    CHECK(forward.summary().max == wanted.max);
    CHECK(*forward.summary().mean == Approx(*wanted.mean).epsilon(1e-12));
  }
}
