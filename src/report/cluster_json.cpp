#include "gpucap/report/cluster.hpp"

#include "json_values.hpp"

namespace gpucap::report {
namespace {

using evaluate::ClusterOutcome;

Json jobs_json(const ClusterOutcome& o) {
  return {{"submitted", o.submitted}, {"finished", o.finished},     {"refused", o.refused},
          {"given_up", o.given_up},   {"unfinished", o.unfinished}, {"cut", o.cut},
          {"faults", o.faults},       {"restarts", o.restarts},     {"resizes", o.resizes}};
}

Json gpu_hours_json(const ClusterOutcome::GpuHours& h) {
  return {
      {"useful", number(h.useful)}, {"stalled", number(h.stalled)},       {"lost", number(h.lost)},
      {"saving", number(h.saving)}, {"restarting", number(h.restarting)}, {"idle", number(h.idle)},
      {"away", number(h.away)}};
}

Json cost_json(const ClusterOutcome::Cost& c) {
  return {{"currency", c.currency ? Json(c.currency->code()) : Json()},
          {"per_hour", number(c.per_hour)},
          {"run", number(c.run)},
          {"per_job", number(c.per_job)},
          {"per_useful_gpu_hour", number(c.per_useful_gpu_hour)}};
}

Json energy_json(const ClusterOutcome::Energy& e) {
  return {{"kwh", number(e.kwh)},
          {"mean_w", number(e.mean_w)},
          {"kwh_per_job", number(e.kwh_per_job)},
          {"gco2e", number(e.gco2e)},
          {"basis", optional_text(e.basis)}};
}

Json outcome_json(const ClusterOutcome& o) {
  return {{"name", o.name},
          {"gpus", o.gpus},
          {"unstable", o.unstable},
          {"reason", optional_text(o.reason.value_or(""))},
          {"jobs", jobs_json(o)},
          {"queue_s", summary_json(o.queue_s)},
          {"queue_by_gpu_time_s", summary_json(o.queue_by_gpu_time_s)},
          {"waited_again_s", summary_json(o.waited_again_s)},
          {"completion_s", summary_json(o.completion_s)},
          {"makespan_s", number(o.makespan_s)},
          {"utilization",
           {{"asked_gpus", number(o.asked_gpus)},
            {"offered_load", number(o.offered_load)},
            {"allocated", number(o.allocated)}}},
          {"gpu_hours", gpu_hours_json(o.gpu_hours)},
          {"cost", cost_json(o.cost)},
          {"energy", energy_json(o.energy)},
          {"notes", o.notes},
          {"provenance", provenance_json(o.provenance)}};
}

Json policy_json(const PolicyReport& policy) {
  Json candidates = Json::array();
  for (const ClusterOutcome& outcome : policy.candidates) {
    candidates.push_back(outcome_json(outcome));
  }
  const auto name = [&](std::optional<std::size_t> winner) {
    return winner ? Json(policy.candidates[*winner].name) : Json();
  };
  return {{"name", policy.policy},
          {"candidates", candidates},
          {"winners",
           {{"cost", name(cheapest(policy))},
            {"latency", name(quickest(policy))},
            {"energy", name(thriftiest(policy))}}}};
}

}  // namespace

std::string cluster_json(const ClusterReport& report) {
  Json loads = Json::array();
  for (const PolicyReport& policy : report.policies) loads.push_back(policy_json(policy));
  return dumped({{"scenario", report.scenario}, {"loads", loads}});
}

}  // namespace gpucap::report
