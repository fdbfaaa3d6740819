#include "support/catch.hpp"
#include "support/job_clusters.hpp"

using namespace gpucap;
using namespace gpucap::cluster;
using test::job;
using test::plan_of;
using test::run;
using test::seconds;

namespace {

/// Throughput 1, 1.5 and 2 on 1, 2 and 4 GPUs; 5 s to write and 10 s to restart.
std::shared_ptr<const JobKind> elastic_kind() {
  JobKind kind = *test::plain_kind();
  kind.scaling = std::make_shared<const workload::Scalability>(workload::Scalability{
      {1, 1.0 * unit::per_s}, {2, 1.5 * unit::per_s}, {4, 2.0 * unit::per_s}});
  kind.checkpoint = Checkpointing{seconds(5)};
  kind.restart = seconds(10);
  return std::make_shared<const JobKind>(kind);
}

ClusterPlan elastic_plan(Elasticity elasticity) {
  ClusterPlan plan = plan_of(1, 4);
  plan.policy.elasticity = elasticity;
  return plan;
}

}  // namespace

TEST_CASE("rather than wait an elastic job starts on the largest smaller number that is free") {
  // 3 of 4 are free: of the 4 that it wants it takes 2, at 1.5 / 2 of the speed: 120 s take 160 s.
  const std::vector<Job> jobs{job("a", 0, 1, 1000), job("e", 1, 4, 120, elastic_kind())};
  const auto shrunk = run(elastic_plan(Elasticity::shrink), jobs);
  CHECK(shrunk.stories.of("e").gpu_thousandths == std::vector<std::int64_t>{2000});
  CHECK(shrunk.stories.of("e").end == 161);
  CHECK(run(elastic_plan(Elasticity::none), jobs).stories.start("e") == 1000);
}

TEST_CASE("while nobody waits a running job grows, after a pause to write and restart") {
  // Wants 1 GPU for 1000 s. At 0 it takes all 4 at twice the speed: 15 s and 500 s.
  const auto result = run(elastic_plan(Elasticity::resize), {job("e", 0, 1, 1000, elastic_kind())});
  CHECK(result.stories.of("e").resizes == 1);
  CHECK(result.stories.of("e").end == 515);
  CHECK(result.record.use().saving.gpu_seconds() == Approx(5 * 4));
}

TEST_CASE("a job does not grow when the pause costs more than the growth brings") {
  // 25 s left become 12.5 s and a pause of 15 s.
  const auto result = run(elastic_plan(Elasticity::resize), {job("e", 0, 1, 25, elastic_kind())});
  CHECK(result.stories.of("e").resizes == 0);
}

TEST_CASE("what a job has grown by it gives back to the first one that waits") {
  // On 4 GPUs until 115: 100 s of work at 2 = 200 done. Then on 1 again: 15 s and 800 s less what
  // is done on more GPUs when "a" has ended. "a" starts at once.
  const auto result = run(elastic_plan(Elasticity::resize),
                          {job("e", 0, 1, 1000, elastic_kind()), job("a", 115, 3, 5000)});
  CHECK(result.stories.start("a") == 115);
  CHECK(result.stories.of("e").end == 115 + 15 + 800);
  CHECK(result.stories.of("e").resizes == 2);
}

TEST_CASE("a job without a table, or whose number is not in it, keeps its GPUs") {
  const auto result = run(elastic_plan(Elasticity::resize),
                          {job("rigid", 0, 1, 1000), job("three", 0, 3, 1000, elastic_kind())});
  CHECK(result.record.resizes == 0);
  CHECK(result.record.end == seconds(1000));
}
