// Laws of a cluster that hold whatever its nodes, jobs and policy: checked on random ones. That no
// job and no GPU time is lost is checked by simulate() itself, which throws.
#include "gpucap/core/random.hpp"

#include <algorithm>
#include <map>

#include "support/catch.hpp"
#include "support/job_clusters.hpp"

using namespace gpucap;
using namespace gpucap::cluster;

namespace {

struct ClusterWorld {
  ClusterPlan plan;
  std::vector<Job> jobs;
};

template <class T>
T one_of(RandomStream& draw, std::initializer_list<T> choices) {
  return choices.begin()[draw.uniform_int(0, std::ssize(choices) - 1)];
}

FaultClass random_fault(RandomStream& draw) {
  FaultClass fault{"x", static_cast<double>(draw.uniform_int(200, 4000)) * unit::s};
  if (draw.uniform() < 0.3) {
    fault.hits = Hits::gpu;
    return fault;
  }
  fault.away = test::seconds(draw.uniform_int(0, 100));
  fault.notice = test::seconds(one_of(draw, {0, 0, 5, 30}));
  return fault;
}

std::shared_ptr<const JobKind> random_kind(RandomStream& draw, std::size_t groups) {
  JobKind kind;
  for (std::size_t g = 0; g < groups; ++g) kind.speed.push_back(one_of(draw, {0.0, 0.7, 1.0, 2.0}));
  if (draw.uniform() < 0.6) {
    kind.checkpoint = Checkpointing{test::seconds(draw.uniform_int(0, 6))};
    if (draw.uniform() < 0.5) kind.checkpoint->interval = test::seconds(draw.uniform_int(1, 40));
    kind.scaling = std::make_shared<const workload::Scalability>(workload::Scalability{
        {1, 1.0 * unit::per_s}, {2, 1.7 * unit::per_s}, {4, 2.5 * unit::per_s}});
  }
  kind.restart = test::seconds(draw.uniform_int(0, 5));
  kind.stall_share = one_of(draw, {0.0, 0.1});
  return std::make_shared<const JobKind>(kind);
}

Job random_job(RandomStream& draw, int number, SimTime submit) {
  Job one = test::job(std::to_string(number), 0, draw.uniform_int(1, 6), 0);
  one.submit = submit;
  if (draw.uniform() < 0.2) one.gpu_thousandths = draw.uniform_int(1, 999);
  one.work = {draw.uniform_int(0, 80'000'000'000)};
  if (draw.uniform() < 0.5) one.limit = SimTime{draw.uniform_int(0, 160'000'000'000)};
  one.priority = draw.uniform_int(0, 3);
  return one;
}

ClusterWorld random_cluster(std::uint64_t seed) {
  RandomStream draw(seed, "cluster worlds");
  ClusterWorld world;
  const auto groups = static_cast<std::size_t>(draw.uniform_int(1, 3));
  for (std::size_t g = 0; g < groups; ++g) {
    NodeGroup group{std::to_string(g), draw.uniform_int(1, 4), draw.uniform_int(1, 5)};
    for (auto i = draw.uniform_int(0, 2); i > 0; --i) group.faults.push_back(random_fault(draw));
    world.plan.groups.push_back(group);
  }
  world.plan.seed = seed;
  world.plan.max_restarts = 30;
  world.plan.policy = {
      static_cast<Order>(draw.uniform_int(0, 2)), static_cast<Backfill>(draw.uniform_int(0, 1)),
      static_cast<Packing>(draw.uniform_int(0, 1)), static_cast<Elasticity>(draw.uniform_int(0, 2)),
      static_cast<Overrun>(draw.uniform_int(0, 1))};
  if (draw.uniform() < 0.2) world.plan.until = test::seconds(draw.uniform_int(100, 800));
  std::vector<std::shared_ptr<const JobKind>> kinds;
  for (int i = 0; i < 3; ++i) kinds.push_back(random_kind(draw, groups));
  SimTime submit;
  for (int i = 0; i < 100; ++i) {
    submit.ns += draw.uniform_int(0, 15) * 1'000'000'000;
    world.jobs.push_back(random_job(draw, i, submit));
    world.jobs.back().kind = kinds[static_cast<std::size_t>(draw.uniform_int(0, 2))];
  }
  return world;
}

/// Thousandths of a group's GPUs in use, by instant.
class InUse final : public Sink {
 public:
  void stayed(const StayRow& stay) override {
    auto& changes = by_group[stay.group];
    changes[stay.start] += stay.gpu_thousandths;
    changes[stay.end] -= stay.gpu_thousandths;
  }
  std::map<std::size_t, std::map<SimTime, std::int64_t>> by_group;
};

}  // namespace

TEST_CASE("every job ends once, and no time on GPUs is lost, in 2000 random clusters") {
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    INFO("seed " << seed);
    const ClusterWorld world = random_cluster(seed);
    const auto result = test::run(world.plan, world.jobs);  // throws where it does not add up
    const auto& record = result.record;
    REQUIRE(std::ssize(result.stories.all) + record.all_refused() == record.submitted);
    GpuUse of_jobs;
    for (const auto& story : result.stories.all) of_jobs += story.use;
    REQUIRE(of_jobs == record.use());
    if (!world.plan.until) REQUIRE(record.submitted == std::ssize(world.jobs));
  }
}

TEST_CASE("a group never gives more GPUs than it has") {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    INFO("seed " << seed);
    const ClusterWorld world = random_cluster(seed);
    InUse in_use;
    test::ListedJobs stream(world.jobs);
    simulate(world.plan, stream, {&in_use});
    for (const auto& [group, changes] : in_use.by_group) {
      std::int64_t used = 0;
      for (const auto& [time, change] : changes) {
        used += change;
        REQUIRE(used <= world.plan.groups[group].gpus() * 1000);
      }
    }
  }
}

TEST_CASE("the same cluster gives the same stories, to the nanosecond") {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const ClusterWorld world = random_cluster(seed);
    REQUIRE(test::run(world.plan, world.jobs).stories.all ==
            test::run(world.plan, world.jobs).stories.all);
  }
}

TEST_CASE("first come, first served: rigid jobs that run anywhere start in order of submit") {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    ClusterWorld world = random_cluster(seed);
    world.plan.groups.resize(1);
    world.plan.policy = {};
    for (auto& one : world.jobs) one.kind = test::plain_kind();
    const auto order = test::run(world.plan, world.jobs).stories.order;
    REQUIRE(std::ranges::is_sorted(order, {}, [](const std::string& id) { return std::stoi(id); }));
  }
}

TEST_CASE("a finished job has done its work, at the speed of its GPUs") {
  // Kept work x speed = the recorded run time, to a nanosecond a stay for rounding up.
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    INFO("seed " << seed);
    ClusterWorld world = random_cluster(seed);
    world.plan.policy.elasticity = Elasticity::none;
    world.plan.policy.overrun = Overrun::run_on;
    world.plan.groups.resize(1);
    for (auto& one : world.jobs) {
      JobKind kind = *one.kind;
      kind.speed = {0.7};
      one.kind = std::make_shared<const JobKind>(kind);
    }
    const auto result = test::run(world.plan, world.jobs);
    for (const auto& story : result.stories.all) {
      if (story.ending != Ending::finished) continue;
      const Job& one = world.jobs[static_cast<std::size_t>(std::stoi(story.id))];
      const double gpus = static_cast<double>(gang_of(one.gpu_thousandths)) / 1000;
      const double rounding = 2e-9 * static_cast<double>(1 + story.restarts);
      REQUIRE(story.use.useful.gpu_seconds() / gpus * 0.7 ==
              Approx(as_seconds(one.work)).margin(rounding));
    }
  }
}
