#include "gpucap/metrics/job_waits.hpp"

#include <stdexcept>

#include "support/catch.hpp"
#include "support/job_clusters.hpp"

using namespace gpucap;
using namespace gpucap::metrics;
using test::job;
using test::seconds;

TEST_CASE("a long job's wait weighs as much as its GPU time") {
  // One GPU: "a" runs 90 s and waits 0, "b" waits 90 s and runs 10 s. By job the median is 0 and
  // the mean 45; by GPU time the mean is (0 x 90 + 90 x 10) / 100 = 9 and p95 is 90.
  JobWaits waits;
  test::ListedJobs jobs({job("a", 0, 1, 90), job("b", 0, 1, 10)});
  cluster::simulate(test::plan_of(1, 1), jobs, {&waits});
  const JobSummaries all = waits.summaries();
  CHECK(*all.queue.mean == Approx(45));
  CHECK(*all.queue.p50 == 0);
  CHECK(*all.queue_by_gpu_time.mean == Approx(9));
  CHECK(*all.queue_by_gpu_time.p90 == 0);
  CHECK(*all.queue_by_gpu_time.p95 == Approx(90));
  CHECK(*all.completion.max == Approx(100));
  CHECK(all.waited_again.n == 0);
}

TEST_CASE("weighted percentiles beyond the exact limit stay within their stated error") {
  // Durations 1..n of equal weight 3: p90 = 0.9 n.
  WeightedSample sample;
  const std::int64_t n = 200'000;
  for (std::int64_t i = 1; i <= n; ++i) sample.add({i * 1'000'000}, 3);
  const Summary summary = sample.summary();
  CHECK(summary.quantile_error > 0);
  CHECK(*summary.p90 == Approx(180).epsilon(summary.quantile_error));
  CHECK(*summary.mean == Approx(100.0005));
  CHECK(*summary.max == Approx(200));
}

TEST_CASE("durations of no weight have no percentiles") {
  WeightedSample sample;
  sample.add(seconds(5), 0);
  CHECK(sample.summary().n == 1);
  CHECK_FALSE(sample.summary().p50);
  CHECK_THROWS_AS(sample.add(seconds(-1), 1), std::logic_error);
}

TEST_CASE("a queue that grows as long as jobs come is unstable; one that drains is not") {
  const auto verdict = [](std::int64_t work_s) {
    std::vector<cluster::Job> list;
    for (int i = 0; i < 1000; ++i) list.push_back(job(std::to_string(i), 10 * i, 1, work_s));
    QueueWatch watch;
    test::ListedJobs jobs(list);
    cluster::simulate(test::plan_of(1, 1), jobs, {&watch});
    return watch.verdict();
  };
  // Every 10 s one of 12 s: five of six start, and the queue doubles from mid-span to the end.
  CHECK(verdict(12).unstable);
  CHECK(verdict(12).queue_last == Approx(2 * verdict(12).queue_mid).margin(2));
  CHECK_FALSE(verdict(9).unstable);
}
