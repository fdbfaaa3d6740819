#include "summaries.hpp"

#include "gpucap/core/error.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace gpucap::evaluate {

using record::State;

Seconds Run::makespan() const {
  if (!counts.first_arrival || !counts.last_finish) return Seconds{};
  return (as_seconds(*counts.last_finish) - as_seconds(*counts.first_arrival)) * unit::s;
}

record::Usage Run::total() const {
  record::Usage sum;
  for (const auto& timeline : record.timelines) {
    sum += timeline.total(State::decode);
    sum += timeline.total(State::prefill);
  }
  return sum;
}

namespace {

/// Says so when the percentiles of requests are no exact ranks. Those of gaps between tokens hardly
/// ever are and no table shows them; the JSON report tells the error of each.
void note_sketch(Outcome& outcome) {
  const double error = outcome.e2e_s.quantile_error;
  if (error == 0) return;
  outcome.notes.push_back(
      fmt::format("percentiles over {} requests are within {:.3f} % (docs/models/quantiles.md)",
                  outcome.e2e_s.n, std::ceil(error * 1e5) / 1e3));
}

}  // namespace

void fill_requests(Outcome& outcome, const Run& run) {
  const auto& counts = run.counts;
  outcome.requests = {counts.arrived, counts.finished, counts.refused, counts.preempted,
                      counts.prefix_hit_rate()};
  outcome.input_tokens = counts.input_tokens;
  outcome.output_tokens = counts.output_tokens;
  outcome.queue_s = run.latency.queue;
  outcome.ttft_s = run.latency.ttft;
  outcome.tpot_s = run.latency.tpot;
  outcome.itl_s = run.latency.itl;
  outcome.e2e_s = run.latency.e2e;
  note_sketch(outcome);
  const double span = run.makespan().in(unit::s);
  if (!(span > 0)) return;
  const auto rate = [span](std::int64_t n) { return static_cast<double>(n) / span; };
  outcome.throughput = {rate(counts.finished), rate(counts.input_tokens),
                        rate(counts.output_tokens),
                        rate(counts.input_tokens + counts.output_tokens), span};
}

void fill_bottleneck(Outcome& outcome, const Run& run) {
  const record::Usage total = run.total();
  Ticks sum;
  for (const Ticks part : total.by_cause) sum += part;
  if (sum.count == 0) return;
  for (std::size_t i = 0; i < record::cause_count; ++i) {
    outcome.bottleneck_shares[i] = as_seconds(total.by_cause[i]) / as_seconds(sum);
  }
  const auto largest = std::max_element(total.by_cause.begin(), total.by_cause.end());
  outcome.bottleneck = static_cast<record::Cause>(largest - total.by_cause.begin());
}

void fill_utilization(Outcome& outcome, const Run& run) {
  const plan::ServingPlan& plan = run.serving_case.plan;
  const Seconds held = run.makespan() * static_cast<double>(run.record.timelines.size());
  if (!(held.in(unit::s) > 0)) return;
  const record::Usage total = run.total();
  const hardware::Gpu& gpu = plan.question.node.gpu;
  const Flops possible = gpu.peak(plan.question.engine.weights.compute) * held;
  const Bytes movable = gpu.memory_bandwidth * held;
  double kv_token_seconds = 0;
  for (const auto& timeline : run.record.timelines) {
    for (const auto& bucket : timeline.buckets())
      kv_token_seconds += as_seconds(bucket.kv_tokens_time);
  }
  const auto capacity = static_cast<double>(plan.rules.kv_blocks * plan.rules.block_tokens);
  outcome.utilization = {as_seconds(total.time) / held.in(unit::s),
                         static_cast<double>(total.flops) * unit::flop / possible,
                         static_cast<double>(total.bytes) * unit::byte / movable,
                         kv_token_seconds / (capacity * held.in(unit::s))};
}

void fill_cost(Outcome& outcome, const ServingCase& serving_case, const account::RentedWork& work) {
  const Terms& terms = serving_case.terms;
  const auto cost =
      account::summarize_cost(work, terms.price, terms.currency, terms.fx, terms.hours_per_month);
  if (!cost) {
    throw InputError(
        Problem{"", "", serving_case.name, cost.failure().message, cost.failure().code});
  }
  const account::CostSummary& found = *cost;
  outcome.cost.currency = found.currency;
  outcome.cost.per_hour = found.per_hour;
  outcome.cost.per_month = found.per_month;
  outcome.cost.offer = found.offer;
  outcome.cost.notes = found.notes;
  if (work.requests_finished == 0) return;  // nothing was run: there is no cost of a run
  outcome.cost.run = found.run;
  outcome.cost.per_1000_requests = found.per_1000_requests;
  outcome.cost.per_million_input_tokens = found.per_million_input_tokens;
  outcome.cost.per_million_output_tokens = found.per_million_output_tokens;
  outcome.cost.idle_share = found.idle_share;
}

void fill_energy(Outcome& outcome, const Run& run) {
  if (run.counts.finished == 0) return;
  const plan::ServingQuestion& question = run.serving_case.plan.question;
  const FlopRate peak = question.node.gpu.peak(question.engine.weights.compute);
  const auto card = account::card_power(question.node.gpu, question.calibration.power, peak);
  // Timelines count from the start of the run, so that is when the node is taken to be held.
  const account::NodeWork work{run.record.timelines, question.layout.tensor_parallel,
                               question.node.count, as_seconds(run.record.end) * unit::s,
                               run.counts.output_tokens};
  const auto energy = account::summarize_energy(card, work, run.serving_case.terms.energy);
  outcome.energy.kwh = energy.kwh;
  outcome.energy.mean_w = energy.mean_w;
  outcome.energy.joules_per_output_token = energy.joules_per_output_token;
  outcome.energy.gco2e = energy.gco2e;
  outcome.energy.basis = energy.basis;
  outcome.notes.insert(outcome.notes.end(), energy.notes.begin(), energy.notes.end());
}

}  // namespace gpucap::evaluate
