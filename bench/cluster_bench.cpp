// How fast generated jobs pass through a cluster of 2,000 GPUs, queue and placement included, told
// to nobody: by rule of the queue, with fractions of GPUs, with failures, and overloaded.
#include "gpucap/cluster/generate.hpp"
#include "gpucap/cluster/simulate.hpp"

#include <benchmark/benchmark.h>
#include <memory>

namespace {

using namespace gpucap;

constexpr std::int64_t nodes = 250, per_node = 8;

/// Jobs that keep `load` of all GPUs busy if nobody waits, of 1 to 64 GPUs.
cluster::JobMix mix(std::int64_t jobs, double load) {
  auto kind = std::make_shared<cluster::JobKind>();
  kind->speed = {1};
  kind->restart = {60'000'000'000};
  cluster::JobMix mix{.seed = 1, .jobs = jobs, .median_work = 15 * unit::minute, .sigma = 1.5};
  mix.sizes = {{1000, 60}, {2000, 12}, {4000, 10}, {8000, 12}, {16000, 4}, {64000, 2}};
  mix.most_overestimated = 5;
  mix.priorities = 4;
  mix.kind = kind;
  const double mean_gpus = 0.60 + 0.24 + 0.40 + 0.96 + 0.64 + 1.28;
  const double mean_over_median = 3.0802;  // e^(1.5^2 / 2)
  mix.mean_gap = mean_gpus * mean_over_median * mix.median_work / (load * nodes * per_node);
  return mix;
}

void simulate(benchmark::State& state, const cluster::ClusterPlan& plan,
              const cluster::JobMix& jobs) {
  double held = 0;
  for (auto _ : state) {
    cluster::GeneratedJobs stream(jobs);
    held = *cluster::simulate(plan, stream, {}).allocated_share();
  }
  state.SetItemsProcessed(state.iterations() * jobs.jobs);
  state.counters["held"] = held;
}

cluster::ClusterPlan plan_of(std::size_t rule) {
  cluster::ClusterPlan plan;
  plan.groups = {{"a", nodes, per_node}};
  plan.policy.order = cluster::queue_rules[rule].order;
  plan.policy.backfill = cluster::queue_rules[rule].backfill;
  return plan;
}

void queue_rule(benchmark::State& state) {
  const auto rule = static_cast<std::size_t>(state.range(0));
  state.SetLabel(std::string(cluster::queue_rules[rule].name));
  simulate(state, plan_of(rule), mix(state.range(1), static_cast<double>(state.range(2)) / 100));
}

void easy_with_shares(benchmark::State& state) {
  cluster::JobMix jobs = mix(state.range(0), 0.9);
  jobs.sizes.push_back({460, 40});
  jobs.sizes.push_back({250, 40});
  simulate(state, plan_of(3), jobs);
}

void easy_with_failures(benchmark::State& state) {
  cluster::ClusterPlan plan = plan_of(3);
  cluster::JobMix jobs = mix(state.range(0), 0.8);
  auto kind = std::make_shared<cluster::JobKind>(*jobs.kind);
  kind->checkpoint = cluster::Checkpointing{{30'000'000'000}};
  jobs.kind = kind;
  plan.groups[0].faults = {{"hardware", 154 * unit::day, cluster::Hits::node, {3'600'000'000'000}}};
  simulate(state, plan, jobs);
}

BENCHMARK(queue_rule)
    ->ArgsProduct({{0, 1, 2, 3}, {1'000'000}, {85, 120}})
    ->Unit(benchmark::kMillisecond);
BENCHMARK(easy_with_shares)->Arg(1'000'000)->Unit(benchmark::kMillisecond);
BENCHMARK(easy_with_failures)->Arg(1'000'000)->Unit(benchmark::kMillisecond);

}  // namespace
