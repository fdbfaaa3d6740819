#include "gpucap/cluster/trace_jobs.hpp"
#include "gpucap/scenario/cluster.hpp"

#include "job_speeds.hpp"
#include "terms.hpp"
#include <fmt/format.h>

namespace gpucap::scenario {
namespace {

AllRented nodes_of(const ClusterScenario& scenario) {
  AllRented all;
  for (const ClusterCandidate& candidate : scenario.candidates) {
    for (const NodesToRent& group : candidate.groups) all.push_back(&group);
  }
  return all;
}

void add_group(evaluate::ClusterCase& one, const NodesToRent& nodes,
               const ClusterScenario& scenario, Library& library) {
  const auto currency = currency_of(scenario, nodes_of(scenario));
  const auto terms = terms_of(scenario, nodes, currency);
  const auto& calibration = library.calibration(nodes.node.gpu);
  one.plan.groups.push_back({nodes.name, nodes.nodes, nodes.node.count, nodes.faults});
  one.groups.push_back(
      {nodes.node.gpu.id,
       account::card_power(nodes.node.gpu, calibration.power, nodes.node.gpu.peak(Dtype::bf16)),
       terms.price});
  one.terms = terms;
  one.terms.price.reset();
  one.notes.insert(one.notes.end(), nodes.notes.begin(), nodes.notes.end());
  const auto stale = price_notes(nodes, as_of(scenario));
  one.notes.insert(one.notes.end(), stale.begin(), stale.end());
  const auto own = calibration_notes(library, nodes_of(scenario), nodes, as_of(scenario));
  one.notes.insert(one.notes.end(), own.begin(), own.end());
}

/// Generated jobs know no model: every group runs them as fast, at the power of its active floor
/// and compute share together.
void add_generated(evaluate::ClusterCase& one, const ClusterScenario& scenario,
                   cluster::JobMix mix) {
  cluster::JobKind kind = scenario.habits;
  kind.speed.assign(one.groups.size(), 1);
  mix.kind = std::make_shared<const cluster::JobKind>(std::move(kind));
  auto& watts = one.busy_watts.emplace_back();
  for (const evaluate::RentedGroup& group : one.groups) {
    const auto& shares = group.power.shares;
    watts.push_back(group.power.tdp * std::min(1.0, shares.active_floor + shares.compute / 2));
  }
  one.notes.emplace_back(
      "generated jobs run equally fast on every card; a GPU that works draws what it does at half "
      "its peak");
  one.jobs = [mix] { return std::make_unique<cluster::GeneratedJobs>(mix); };
}

void add_recorded(evaluate::ClusterCase& one, const ClusterCandidate& candidate,
                  const RecordedJobs& recorded, const cluster::JobKind& habits, Library& library) {
  auto speeds = std::make_shared<JobSpeeds>(candidate, recorded, habits, library);
  for (const workload::Job& job : recorded.trace->jobs) (void)speeds->kind_of(job);
  one.busy_watts = speeds->watts();
  one.speed_error = speeds->error();
  const auto notes = speeds->notes();
  one.notes.insert(one.notes.end(), notes.begin(), notes.end());
  const auto trace = recorded.trace;
  one.jobs = [trace, speeds] {
    return std::make_unique<cluster::TraceJobs>(
        trace->jobs, [speeds](const workload::Job& job) { return speeds->kind_of(job); });
  };
}

evaluate::ClusterCase plan_one(const ClusterScenario& scenario, const ClusterCandidate& candidate,
                               Library& library) {
  evaluate::ClusterCase one;
  one.name = candidate.name;
  one.plan.seed = scenario.seed;
  one.provenance = provenance_of(scenario);
  for (const NodesToRent& nodes : candidate.groups) add_group(one, nodes, scenario, library);
  if (const auto* recorded = std::get_if<RecordedJobs>(&scenario.jobs)) {
    add_recorded(one, candidate, *recorded, scenario.habits, library);
  } else {
    add_generated(one, scenario, std::get<cluster::JobMix>(scenario.jobs));
  }
  return one;
}

}  // namespace

std::optional<pricing::Date> as_of(const ClusterScenario& scenario) {
  return as_of(scenario, nodes_of(scenario));
}

std::vector<evaluate::ClusterCase> plan_cluster(const ClusterScenario& scenario, Library& library) {
  std::vector<evaluate::ClusterCase> cases;
  for (const ClusterCandidate& candidate : scenario.candidates) {
    cases.push_back(plan_one(scenario, candidate, library));
  }
  return cases;
}

}  // namespace gpucap::scenario
