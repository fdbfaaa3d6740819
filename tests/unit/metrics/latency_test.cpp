#include "gpucap/metrics/latency.hpp"

#include "gpucap/core/random.hpp"

#include "rows.hpp"
#include "support/catch.hpp"

using namespace gpucap;
using namespace gpucap::metrics;

TEST_CASE("a long prefill leaves the decode rate alone") {
  // 1.0 s to the first of 101 tokens, the other 100 in 2.0 s: 20 ms each (50/s), 3.0 s in all.
  LatencyMetrics metrics;
  metrics.finished(row_ms(0, 0, 1000, 3000, 101));
  CHECK(*metrics.summaries().tpot.mean == Approx(0.020));
  CHECK(*metrics.summaries().ttft.mean == Approx(1.0));
  CHECK(*metrics.summaries().e2e.mean == Approx(3.0));
}

TEST_CASE("eleven tokens have ten gaps and one token has none") {
  // First at 0.5 s, last at 1.5 s: 1.0 s / 10 = 0.1 s.
  LatencyMetrics metrics;
  metrics.finished(row_ms(0, 0, 500, 1500, 11));
  metrics.finished(row_ms(0, 0, 700, 700, 1));
  CHECK(metrics.summaries().tpot.n == 1);
  CHECK(*metrics.summaries().tpot.max == Approx(0.1));
  CHECK(metrics.summaries().ttft.n == 2);
}

TEST_CASE("tokens that all come at one instant have no time per token") {
  LatencyMetrics metrics;
  metrics.finished(row_ms(0, 0, 500, 500, 64));
  CHECK(metrics.summaries().tpot.n == 0);
  CHECK_FALSE(metrics.summaries().tpot.mean.has_value());
  CHECK(*metrics.summaries().e2e.mean == Approx(0.5));
}

TEST_CASE("every latency counts from the arrival, the queue to the first scheduling") {
  // Arrival 100, scheduled 150, first token 400, finished 1000 ms.
  LatencyMetrics metrics;
  metrics.finished(row_ms(100, 150, 400, 1000, 4));
  CHECK(*metrics.summaries().queue.max == Approx(0.050));
  CHECK(*metrics.summaries().ttft.max == Approx(0.300));
  CHECK(*metrics.summaries().e2e.max == Approx(0.900));
  CHECK(*metrics.summaries().tpot.max == Approx(0.200));
}

TEST_CASE("one finished of a hundred gives counts and a sample of one, none finished gives none") {
  LatencyMetrics metrics;
  for (std::int64_t id = 0; id < 100; ++id) metrics.arrived(id, at_ms(10 + id), 0);
  for (std::int64_t id = 1; id < 100; ++id) metrics.refused(id, at_ms(10 + id));
  CHECK(metrics.summaries().e2e.n == 0);
  CHECK_FALSE(metrics.summaries().e2e.p99.has_value());
  CHECK_FALSE(metrics.counts().last_finish.has_value());
  CHECK_FALSE(metrics.counts().prefix_hit_rate().has_value());

  metrics.finished(row_ms(10, 10, 20, 30, 3));
  CHECK(metrics.counts().arrived == 100);
  CHECK(metrics.counts().refused == 99);
  CHECK(metrics.counts().finished == 1);
  CHECK(metrics.summaries().e2e.n == 1);
  CHECK(metrics.counts().first_arrival == at_ms(10));
  CHECK(metrics.counts().last_finish == at_ms(30));
}

TEST_CASE("token sums pass 32 bits, prefix hits are a share of queried tokens") {
  // 3 x 2e9 prompt tokens, of which 0.5e9 cached once: 0.5 / 6.
  LatencyMetrics metrics;
  record::RequestRow row = row_ms(0, 0, 1, 2, 2'000'000'000);
  row.prompt_tokens = 2'000'000'000;
  metrics.finished(row);
  metrics.finished(row);
  row.cached_prompt_tokens = 500'000'000;
  row.preemptions = 3;
  metrics.finished(row);
  CHECK(metrics.counts().input_tokens == 6'000'000'000);
  CHECK(metrics.counts().output_tokens == 6'000'000'000);
  CHECK(*metrics.counts().prefix_hit_rate() == Approx(0.5 / 6));
  CHECK(metrics.counts().preempted == 1);
  CHECK(metrics.counts().preemptions == 3);
}

TEST_CASE("percentiles never cross") {
  RandomStream random(5, "latency");
  LatencyMetrics metrics;
  for (std::int64_t i = 0; i < 999; ++i) {
    const auto start = i + random.uniform_int(0, 5000);
    const auto first = start + random.uniform_int(1, 500) * (i % 97 == 0 ? 40 : 1);
    const auto end = first + random.uniform_int(0, 9000);
    metrics.finished(row_ms(i, start, first, end, 1 + i % 50));
    metrics.token_gaps({{random.uniform_int(1, 1 << 30)}, 1 + i % 7});
  }
  const LatencySummaries all = metrics.summaries();
  for (const Summary& s : {all.queue, all.ttft, all.tpot, all.itl, all.e2e}) {
    CHECK(*s.p50 <= *s.p90);
    CHECK(*s.p90 <= *s.p95);
    CHECK(*s.p95 <= *s.p99);
    CHECK(*s.p99 <= *s.max);
    CHECK(*s.mean <= *s.max);
  }
}

TEST_CASE("the order in which requests finish changes no summary") {
  LatencyMetrics forward, backward;
  for (std::int64_t i = 1; i <= 500; ++i) {
    forward.finished(row_ms(0, i, 3 * i, 7 * i, 1 + i));
    const std::int64_t k = 501 - i;
    backward.finished(row_ms(0, k, 3 * k, 7 * k, 1 + k));
  }
  CHECK(forward.summaries().tpot.mean == backward.summaries().tpot.mean);
  CHECK(forward.summaries().e2e.mean == backward.summaries().e2e.mean);
  CHECK(forward.summaries().queue.p99 == backward.summaries().queue.p99);
}

TEST_CASE("gaps between tokens are counted per sequence") {
  // A step of 30 ms with 3 sequences and one of 10 ms with 1: mean (90 + 10) / 4 = 25 ms.
  LatencyMetrics metrics;
  metrics.token_gaps({to_ticks(at_ms(30)), 3});
  metrics.token_gaps({to_ticks(at_ms(10)), 1});
  CHECK(metrics.summaries().itl.n == 4);
  CHECK(*metrics.summaries().itl.mean == Approx(0.025));
  CHECK(*metrics.summaries().itl.p50 == Approx(0.030));
}
