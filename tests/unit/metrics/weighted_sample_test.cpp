#include "gpucap/metrics/weighted_sample.hpp"

#include "gpucap/core/random.hpp"

#include "rows.hpp"
#include "support/catch.hpp"

using namespace gpucap;
using namespace gpucap::metrics;

TEST_CASE("percentiles of weighted gaps are those of the expanded sample") {
  // Random weights, few different values so that equal ones meet, more entries than the first
  // merge.
  RandomStream random(3, "gaps");
  WeightedSample sample;
  std::vector<double> expanded;
  for (int i = 0; i < 100'000; ++i) {
    const SimTime gap = at_ms(random.uniform_int(1, 200));
    const std::int64_t count = random.uniform_int(0, 9);
    sample.add(to_ticks(gap), count);
    expanded.insert(expanded.end(), static_cast<std::size_t>(count), as_seconds(gap));
  }
  const Summary wanted = summarize(expanded);
  const Summary summary = sample.summary();
  CHECK(summary.n == wanted.n);
  CHECK(summary.p50 == wanted.p50);
  CHECK(summary.p90 == wanted.p90);
  CHECK(summary.p95 == wanted.p95);
  CHECK(summary.p99 == wanted.p99);
  CHECK(summary.max == wanted.max);
  CHECK(*summary.mean == Approx(*wanted.mean).epsilon(1e-12));
}

TEST_CASE("one gap of 9 ms among 99 of 1 ms is the maximum and no percentile") {
  // n = 100: rank 99 is the last 1 ms; mean (99 x 1 + 9) / 100 = 1.08 ms.
  WeightedSample sample;
  sample.add(to_ticks(at_ms(9)), 1);
  sample.add(to_ticks(at_ms(1)), 99);
  CHECK(*sample.summary().p99 == Approx(0.001));
  CHECK(*sample.summary().max == Approx(0.009));
  CHECK(*sample.summary().mean == Approx(0.00108));
  // One occurrence more moves rank ceil(0.99 x 101) = 100 to the first of two 9 ms.
  sample.add(to_ticks(at_ms(9)), 1);
  CHECK(*sample.summary().p99 == Approx(0.009));
}

TEST_CASE("1..20 as gaps have p95 19 and p99 20") {
  WeightedSample sample;
  for (int ms = 20; ms >= 1; --ms) sample.add(to_ticks(at_ms(ms)), 1);
  CHECK(*sample.summary().p95 == Approx(0.019));
  CHECK(*sample.summary().p99 == Approx(0.020));
}

TEST_CASE("a million gaps, each with its own length, keep every rank") {
  // 1..1,000,000 us in a scattered order (7919 is prime): p95 is 950,000 us.
  WeightedSample sample;
  for (std::int64_t i = 0; i < 1'000'000; ++i) {
    sample.add(to_ticks(SimTime{(i * 7919 % 1'000'000 + 1) * 1000}), 1);
  }
  CHECK(*sample.summary().p50 == Approx(0.5).epsilon(1e-12));
  CHECK(*sample.summary().p95 == Approx(0.95).epsilon(1e-12));
  CHECK(*sample.summary().mean == Approx(0.5000005).epsilon(1e-12));
}

TEST_CASE("a gap below a nanosecond is shown as one and averaged as it is") {
  // 3 gaps of 2^19 ticks: half a nanosecond each.
  WeightedSample sample;
  sample.add({1 << 19}, 3);
  CHECK(*sample.summary().p50 == Approx(1e-9));
  CHECK(*sample.summary().mean == Approx(0.5e-9));
}

TEST_CASE("no gap and gaps of nobody have no percentiles") {
  WeightedSample sample;
  sample.add(to_ticks(at_ms(5)), 0);
  CHECK(sample.summary().n == 0);
  CHECK_FALSE(sample.summary().mean.has_value());
  CHECK_FALSE(sample.summary().max.has_value());
}
