#include "gpucap/evaluate/cluster.hpp"

#include "gpucap/core/error.hpp"
#include "gpucap/metrics/job_waits.hpp"

#include <algorithm>
#include <stdexcept>

#include <fmt/format.h>

namespace gpucap::evaluate {
namespace {

using cluster::ClusterRecord;
using cluster::GpuTime;

double hours(GpuTime time) {
  return time.gpu_seconds() / 3600;
}

/// Joules of GPUs at work, by the kind of each job: the watts differ, so they are told apart while
/// the run goes on.
class BusyEnergy final : public cluster::Sink {
 public:
  explicit BusyEnergy(const ClusterCase& one) : case_(&one) {}

  void stayed(const cluster::StayRow& stay) override {
    const Watts busy = case_->busy_watts.at(stay.job.kind->label).at(stay.group);
    total_ += busy * ((stay.use.useful + stay.use.lost).gpu_seconds() * unit::s);
  }
  [[nodiscard]] Joules total() const { return total_; }

 private:
  const ClusterCase* case_;
  Joules total_;
};

void fill_counts(ClusterOutcome& outcome, const ClusterRecord& record) {
  outcome.gpus = record.gpus;
  outcome.submitted = record.submitted;
  outcome.finished = record.finished;
  outcome.refused = record.all_refused();
  outcome.given_up = record.given_up;
  outcome.unfinished = record.running + record.waiting;
  outcome.cut = record.cut;
  outcome.restarts = record.restarts;
  outcome.resizes = record.resizes;
  outcome.makespan_s = as_seconds(record.makespan());
  outcome.asked_gpus = record.asked_gpus();
  outcome.offered_load = record.offered_load();
  outcome.allocated = record.allocated_share();
}

void fill_hours(ClusterOutcome& outcome, const ClusterRecord& record) {
  for (const auto& group : record.groups) {
    auto& sum = outcome.gpu_hours;
    sum.useful += hours(group.use.useful);
    sum.stalled += hours(group.use.stalled);
    sum.lost += hours(group.use.lost);
    sum.saving += hours(group.use.saving);
    sum.restarting += hours(group.use.restarting);
    sum.idle += hours(group.idle);
    sum.away += hours(group.away);
    outcome.faults += group.faults;
  }
}

void fill_queue(ClusterOutcome& outcome, const metrics::JobSummaries& waits,
                const metrics::QueueVerdict& verdict) {
  outcome.queue_s = waits.queue;
  outcome.queue_by_gpu_time_s = waits.queue_by_gpu_time;
  outcome.waited_again_s = waits.waited_again;
  outcome.completion_s = waits.completion;
  if (outcome.offered_load && *outcome.offered_load >= 1) {
    outcome.unstable = true;
    outcome.reason = fmt::format("jobs ask for {:.1f} GPUs on average, there are {}",
                                 *outcome.asked_gpus, outcome.gpus);
  } else if (verdict.unstable) {
    outcome.unstable = true;
    outcome.reason =
        fmt::format("in the second half {} of {} jobs started while the queue grew from {} to {}",
                    verdict.started, verdict.submitted, verdict.queue_mid, verdict.queue_last);
  }
}

/// A queue that nobody leaves is no queue: say what is wrong with the jobs.
void explain_refusals(ClusterOutcome& outcome, const ClusterRecord& record) {
  if (outcome.finished > 0 || outcome.refused == 0) return;
  const auto refused = [&](cluster::Refusal why) {
    return record.refused[static_cast<std::size_t>(why)];
  };
  outcome.reason = fmt::format(
      "no job finished: {} of {} need more GPUs than any group has, {} may run on no group",
      refused(cluster::Refusal::too_large), outcome.submitted, refused(cluster::Refusal::no_group));
}

/// Elasticity that nothing can use is worth a word.
void note_elasticity(ClusterOutcome& outcome, const cluster::Policy& policy) {
  if (policy.elasticity == cluster::Elasticity::none || outcome.resizes > 0) return;
  outcome.notes.emplace_back(
      "no job was resized: that takes a scalability table (\"profiles\") and a \"checkpoint\"");
}

/// Adds the bill of all nodes of a group for the whole run. A group without a price leaves the sum
/// unknown.
bool add_bill(ClusterOutcome& outcome, const ClusterCase& one, std::size_t index, Seconds held) {
  const RentedGroup& group = one.groups[index];
  auto& cost = outcome.cost;
  const account::RentedWork work{held, held, 0, 0, 0};
  const auto found = account::summarize_cost(work, group.price, one.terms.currency, one.terms.fx,
                                             one.terms.hours_per_month);
  if (!found) {
    throw InputError(Problem{"", "", one.name, found.failure().message, found.failure().code});
  }
  cost.notes.insert(cost.notes.end(), (*found).notes.begin(), (*found).notes.end());
  if (!(*found).run) return false;
  const auto nodes = static_cast<double>(one.plan.groups[index].nodes);
  cost.currency = (*found).currency;
  cost.per_hour = cost.per_hour.value_or(0) + *(*found).per_hour * nodes;
  cost.run = cost.run.value_or(0) + *(*found).run * nodes;
  cost.offers.push_back((*found).offer);
  return true;
}

void fill_cost(ClusterOutcome& outcome, const ClusterCase& one) {
  bool known = true;
  for (std::size_t i = 0; i < one.groups.size(); ++i) {
    known = add_bill(outcome, one, i, outcome.makespan_s * unit::s) && known;
  }
  auto& cost = outcome.cost;
  if (!known) {
    cost.per_hour = cost.run = std::nullopt;
    return;
  }
  if (outcome.finished > 0) cost.per_job = *cost.run / static_cast<double>(outcome.finished);
  if (outcome.gpu_hours.useful > 0) cost.per_useful_gpu_hour = *cost.run / outcome.gpu_hours.useful;
}

void fill_energy(ClusterOutcome& outcome, const ClusterCase& one, const ClusterRecord& record,
                 Joules busy) {
  Joules total = busy;
  bool measured = true, scaled = false;
  for (std::size_t i = 0; i < one.groups.size(); ++i) {
    const account::CardPower& card = one.groups[i].power;
    const auto& group = record.groups[i];
    const GpuTime standing = group.use.stalled + group.use.saving + group.use.restarting;
    total += card.idle * (standing.gpu_seconds() * unit::s);
    total += card.unused * (group.idle.gpu_seconds() * unit::s);
    const std::string basis = account::basis_of(card.shares);
    measured = measured && basis == "measured";
    scaled = scaled || basis != "assumed";
    outcome.notes.insert(outcome.notes.end(), card.notes.begin(), card.notes.end());
  }
  auto& energy = outcome.energy;
  energy.basis = measured ? "measured" : scaled ? "scaled" : "assumed";
  energy.kwh = total.in(unit::kWh);
  if (outcome.makespan_s > 0) energy.mean_w = total.in(unit::J) / outcome.makespan_s;
  if (outcome.finished > 0)
    energy.kwh_per_job = *energy.kwh / static_cast<double>(outcome.finished);
  const auto& terms = one.terms.energy;
  if (terms.grid_g_per_kwh) {
    energy.gco2e = *energy.kwh * terms.pue.value_or(1) * *terms.grid_g_per_kwh;
  }
}

/// Times that cannot be held are a fault of the input: absurd run times or rates.
ClusterRecord simulated(const cluster::ClusterPlan& plan, cluster::JobStream& jobs,
                        const std::vector<cluster::Sink*>& sinks) {
  try {
    return cluster::simulate(plan, jobs, sinks);
  } catch (const std::out_of_range&) {
    throw InputError(Problem{"", "", "/workload",
                             "the jobs take longer than the 146 years that can be simulated",
                             "out-of-range"});
  }
}

}  // namespace

ClusterOutcome evaluate(const ClusterCase& one, const cluster::Policy& policy,
                        const std::vector<cluster::Sink*>& extra_sinks) {
  cluster::ClusterPlan plan = one.plan;
  plan.policy = policy;
  metrics::JobWaits waits;
  metrics::QueueWatch queue;
  BusyEnergy busy(one);
  std::vector<cluster::Sink*> sinks{&waits, &queue, &busy};
  sinks.insert(sinks.end(), extra_sinks.begin(), extra_sinks.end());
  const auto stream = one.jobs();
  const ClusterRecord record = simulated(plan, *stream, sinks);

  ClusterOutcome outcome;
  outcome.name = one.name;
  outcome.provenance = one.provenance;
  outcome.notes = one.notes;
  outcome.speed_error = one.speed_error;
  fill_counts(outcome, record);
  fill_hours(outcome, record);
  fill_queue(outcome, waits.summaries(), queue.verdict());
  explain_refusals(outcome, record);
  note_elasticity(outcome, policy);
  fill_cost(outcome, one);
  fill_energy(outcome, one, record, busy.total());
  outcome.provenance.offers = outcome.cost.offers;
  return outcome;
}

}  // namespace gpucap::evaluate
