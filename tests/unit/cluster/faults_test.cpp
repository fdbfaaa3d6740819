#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "support/catch.hpp"
#include "support/job_clusters.hpp"

using namespace gpucap;
using namespace gpucap::cluster;
using test::job;
using test::plan_of;
using test::run;
using test::seconds;

namespace {

std::shared_ptr<const JobKind> saving_kind(SimTime write, std::optional<SimTime> interval,
                                           SimTime restart) {
  JobKind kind = *test::plain_kind();
  kind.checkpoint = Checkpointing{write, interval};
  kind.restart = restart;
  return std::make_shared<const JobKind>(kind);
}

/// One GPU whose node goes at random, `mean` apart.
ClusterPlan failing(Seconds mean, SimTime away = {}, SimTime notice = {}) {
  ClusterPlan plan = plan_of(1, 1);
  plan.groups[0].faults = {{"hardware", mean, Hits::node, away, notice}};
  return plan;
}

std::vector<Job> in_a_row(std::int64_t count, std::int64_t work_s,
                          const std::shared_ptr<const JobKind>& kind) {
  std::vector<Job> jobs;
  for (std::int64_t i = 0; i < count; ++i)
    jobs.push_back(job(std::to_string(i), 0, 1, work_s, kind));
  return jobs;
}

}  // namespace

TEST_CASE("without faults and without an interval nothing is written, so records keep their time") {
  const auto result =
      run(plan_of(1, 1), in_a_row(1, 1000, saving_kind(seconds(5), {}, seconds(9))));
  CHECK(result.record.end == seconds(1000));
}

TEST_CASE("the mean run under failures is Daly's: 100 h of work take 111.823 h") {
  // Segments of 1 h, writes of 0.05 h, restarts of 0.1 h, failures 10 h apart. One run deviates by
  // about 4 h; the mean of 3000 by 0.07 h.
  const auto kind = saving_kind(seconds(180), seconds(3600), seconds(360));
  const auto result = run(failing(10 * unit::hour), in_a_row(3000, 360'000, kind));
  CHECK(as_seconds(result.record.end) / 3600 / 3000 == Approx(111.823).epsilon(0.003));
}

TEST_CASE(
    "with Daly's interval by default a write of 5 min and 3.09 h between faults leave 0.760") {
  // Restarts of 0.1 h; the exact optimum, 0.663 h, is what Daly's formula says.
  const auto kind = saving_kind(seconds(300), {}, seconds(360));
  const auto result = run(failing(3.09 * unit::hour), in_a_row(2000, 360'000, kind));
  const GpuUse use = result.record.use();
  CHECK(use.useful.gpu_seconds() / use.held().gpu_seconds() == Approx(0.760).epsilon(0.003));
}

TEST_CASE("a job on more nodes is hit as often as all of them together") {
  // 4 nodes, 40 h apart each: 10 h for the gang. Without checkpoints a run of 2 h restarts
  // e^0.2 - 1 = 0.2214 times on average; the mean of 20,000 deviates by 1.7 % of that.
  ClusterPlan plan = plan_of(4, 1);
  plan.groups[0].faults = {{"hardware", 40 * unit::hour}};
  std::vector<Job> jobs;
  for (int i = 0; i < 20000; ++i) jobs.push_back(job(std::to_string(i), 0, 4, 7200));
  const auto result = run(plan, jobs);
  CHECK(static_cast<double>(result.record.restarts) / 20000 == Approx(0.2214).epsilon(0.06));
}

TEST_CASE("a fault of one GPU stops the jobs on that GPU alone and leaves the node up") {
  // 8 GPUs of 80 h each hit one of eight jobs of 1 GPU: each restarts e^(1/80) - 1 times.
  ClusterPlan plan = plan_of(1, 8);
  plan.groups[0].faults = {{"memory error", 80 * unit::hour, Hits::gpu}};
  const auto result = run(plan, in_a_row(80000, 3600, test::plain_kind()));
  CHECK(static_cast<double>(result.record.restarts) / 80000 == Approx(0.01258).epsilon(0.1));
  CHECK(result.record.groups[0].away == GpuTime{});
}

TEST_CASE("a node under repair is away, its job waits again, and that is no queueing delay") {
  ClusterPlan plan = failing(2 * unit::hour, seconds(600));
  const auto kind = saving_kind({}, seconds(60), {});
  const auto result = run(plan, in_a_row(1, 360'000, kind));
  const auto& story = result.stories.of("0");
  REQUIRE(story.restarts > 20);
  CHECK(story.waited_again == Approx(600.0 * static_cast<double>(story.restarts)));
  CHECK(story.starts.front() == 0);
  CHECK(result.record.groups[0].away.gpu_seconds() == Approx(story.waited_again));
}

TEST_CASE("a reclaim with time enough to save loses nothing; with too little it loses work") {
  const auto kind = saving_kind(seconds(60), seconds(100'000'000), seconds(30));
  const auto saved = run(failing(2 * unit::hour, {}, seconds(120)), in_a_row(1, 360'000, kind));
  REQUIRE(saved.record.restarts > 20);
  CHECK(saved.record.use().lost == GpuTime{});
  CHECK(saved.record.use().useful.gpu_seconds() == Approx(360'000));
  // A write for each reclaim and one at the end.
  CHECK(saved.record.use().saving.gpu_seconds() ==
        Approx(60.0 * static_cast<double>(saved.record.restarts + 1)));
  const auto lost = run(failing(200 * unit::hour, {}, seconds(30)), in_a_row(20, 360'000, kind));
  REQUIRE(lost.record.restarts > 0);
  CHECK(lost.record.use().lost > GpuTime{});
}

TEST_CASE("no job starts on a node that is about to be reclaimed") {
  // Reclaimed about once an hour with 10 min of notice, away for 10 min: jobs of 1 s that come
  // every 50 s wait for up to 20 min, and none is ever stopped.
  ClusterPlan plan = failing(1 * unit::hour, seconds(600), seconds(600));
  std::vector<Job> jobs;
  for (int i = 0; i < 2000; ++i) jobs.push_back(job(std::to_string(i), 50 * i, 1, 1));
  const auto result = run(plan, jobs);
  CHECK(result.record.groups[0].faults > 10);
  CHECK(result.record.restarts == 0);
}

TEST_CASE("a job that cannot get through is given up after the restarts that the plan allows") {
  ClusterPlan plan = failing(1 * unit::hour);
  plan.max_restarts = 7;
  const auto result = run(plan, in_a_row(1, 3'600'000, test::plain_kind()));
  CHECK(result.record.given_up == 1);
  CHECK(result.stories.of("0").ending == Ending::given_up);
  CHECK(result.stories.of("0").restarts == 8);
}

TEST_CASE("nodes fail at the same times under every policy") {
  // Faults that stop nothing but nodes: the time away is the same, whoever ran.
  ClusterPlan plan = plan_of(4, 2);
  plan.groups[0].faults = {{"hardware", 30 * unit::hour, Hits::node, seconds(3600)}};
  plan.until = seconds(2'000'000);
  std::vector<Job> jobs;
  for (int i = 0; i < 500; ++i) {
    jobs.push_back(job(std::to_string(i), 3600 * i, 1 + i % 4, 1000 + 700 * (i % 37)));
  }
  jobs.push_back(job("last", 1'990'000, 1, 1'000'000));
  std::vector<GpuTime> away;
  for (const auto& rule : queue_rules) {
    plan.policy.order = rule.order;
    plan.policy.backfill = rule.backfill;
    away.push_back(run(plan, jobs).record.groups[0].away);
  }
  CHECK(away[0] > GpuTime{});
  CHECK(std::ranges::count(away, away[0]) == 4);
}

TEST_CASE("faults without a time between them, or of a GPU that goes away, are a broken plan") {
  CHECK_THROWS_AS(run(failing(Seconds{}), {job("a", 0, 1, 1)}), std::invalid_argument);
  ClusterPlan plan = plan_of(1, 1);
  plan.groups[0].faults = {{"x", 1 * unit::hour, Hits::gpu, seconds(5)}};
  CHECK_THROWS_AS(run(plan, {job("a", 0, 1, 1)}), std::invalid_argument);
}
