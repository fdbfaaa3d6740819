#include "gpucap/evaluate/serving.hpp"

#include "gpucap/metrics/latency.hpp"
#include "gpucap/metrics/overload.hpp"
#include "gpucap/metrics/slo_attainment.hpp"
#include "gpucap/serving/fleet.hpp"

#include <algorithm>
#include <stdexcept>

#include "calibration_files.hpp"
#include "summaries.hpp"
#include <fmt/format.h>

namespace gpucap::evaluate {
namespace {

/// Every file that the plan rests on, once.
std::vector<std::string> calibration_files(const plan::ServingPlan& plan) {
  const perf::Calibration& fits = plan.question.calibration;
  const std::string& card = plan.question.node.gpu.id;
  std::vector<std::string> files;
  add_kernel_files(files, fits, card);
  const auto format = fits.formats.find(plan.question.engine.weights.kernels);
  if (format != fits.formats.end()) add_file(files, format->second.origin, card);
  if (plan.question.model.experts && fits.experts) add_file(files, fits.experts->origin, card);
  for (const auto* links : {&plan.all_reduce, &plan.all_gather, &plan.send_recv}) {
    if (*links) add_file(files, (*links)->origin, card);
  }
  return files;
}

Outcome described(const ServingCase& serving_case) {
  Outcome outcome;
  outcome.name = serving_case.name;
  outcome.memory = serving_case.plan.footprint;
  outcome.provenance = serving_case.provenance;
  outcome.provenance.calibration = calibration_files(serving_case.plan);
  if (serving_case.terms.price) {
    outcome.provenance.offers.push_back(serving_case.terms.price->offer);
  }
  outcome.notes = serving_case.plan.notes;
  outcome.notes.insert(outcome.notes.end(), serving_case.notes.begin(), serving_case.notes.end());
  return outcome;
}

/// Why nothing can be run; empty when it can.
std::string obstacle(const ServingCase& serving_case) {
  const plan::ServingPlan& plan = serving_case.plan;
  if (!plan.feasible) return plan.reason;
  if (!serving_case.constant_tokens) return "";
  const std::int64_t tokens = *serving_case.constant_tokens;
  const std::int64_t pool = plan.rules.kv_blocks * plan.rules.block_tokens;
  const std::int64_t limit = std::min(pool, plan.rules.max_model_len);
  if (tokens <= limit) return "";
  return fmt::format("every request has {} tokens, {} holds {}", tokens,
                     pool < plan.rules.max_model_len ? "the KV cache" : "max_model_len", limit);
}

void check_laws(const serving::FleetRecord& record, const metrics::LatencyMetrics& latency) {
  const auto& counts = latency.counts();
  if (record.arrived != record.finished + record.refused) {
    throw std::logic_error(fmt::format("{} requests arrived, {} finished and {} were refused",
                                       record.arrived, record.finished, record.refused));
  }
  if (record.blocks_left != 0) {
    throw std::logic_error(fmt::format("{} KV blocks were never given back", record.blocks_left));
  }
  std::int64_t sampled = 0;
  for (const auto& timeline : record.timelines) {
    sampled += timeline.total(record::State::decode).output_tokens;
    sampled += timeline.total(record::State::prefill).output_tokens;
  }
  if (sampled != counts.output_tokens) {
    throw std::logic_error(
        fmt::format("{} tokens were sampled, {} delivered", sampled, counts.output_tokens));
  }
}

void fill_verdicts(Outcome& outcome, const Run& run, const metrics::OverloadDetector& overload,
                   const metrics::SloAttainment& attainment) {
  const ServingCase& serving_case = run.serving_case;
  if (const auto verdict = overload.verdict(); verdict.overloaded) {
    outcome.overloaded = true;
    outcome.reason = verdict.reason();
  }
  if (outcome.requests.finished == 0 && outcome.requests.refused > 0) {
    outcome.reason = fmt::format("all {} requests were refused: longer than {} tokens",
                                 outcome.requests.refused, serving_case.plan.rules.max_model_len);
  }
  if (serving_case.slo.empty()) return;
  const auto verdict = metrics::evaluate_slo(serving_case.slo, run.latency, run.counts);
  outcome.slo_met = verdict.met;
  outcome.slo_attained = attainment.share();
  outcome.slo_misses = verdict.misses;
}

}  // namespace

Outcome evaluate(const ServingCase& serving_case, workload::Load load,
                 const std::vector<record::Sink*>& extra_sinks) {
  Outcome outcome = described(serving_case);
  if (const std::string why = obstacle(serving_case); !why.empty()) {
    outcome.reason = why;
    fill_cost(outcome, serving_case, {});
    return outcome;
  }
  outcome.feasible = true;

  metrics::LatencyMetrics latency;
  metrics::OverloadDetector overload(load.clients ? metrics::LoopKind::closed
                                                  : metrics::LoopKind::open);
  metrics::SloAttainment attainment(serving_case.slo);
  std::vector<record::Sink*> sinks{&latency, &overload};
  if (!serving_case.slo.empty()) sinks.push_back(&attainment);
  sinks.insert(sinks.end(), extra_sinks.begin(), extra_sinks.end());
  auto record = serving::simulate(serving_case.plan, std::move(load), serving_case.router, sinks,
                                  serving_case.stepping);
  check_laws(record, latency);

  const metrics::LatencySummaries summaries = latency.summaries();
  const Run run{serving_case, record, latency.counts(), summaries};
  fill_requests(outcome, run);
  fill_bottleneck(outcome, run);
  fill_utilization(outcome, run);
  // A node is busy while any replica is, on average over its replicas.
  const double busy = outcome.utilization.busy.value_or(0);
  fill_cost(outcome, serving_case,
            {run.makespan(), run.makespan() * busy, outcome.requests.finished, outcome.input_tokens,
             outcome.output_tokens});
  fill_energy(outcome, run);
  fill_verdicts(outcome, run, overload, attainment);
  outcome.timelines = std::move(record.timelines);
  outcome.stages = serving_case.plan.question.layout.pipeline_parallel;
  return outcome;
}

std::vector<account::LedgerLine> bill(const ServingCase& serving_case, const Outcome& outcome,
                                      const pricing::Date& start) {
  if (!serving_case.terms.price || !outcome.throughput.makespan_s) return {};
  return account::ledger_of(*serving_case.terms.price, *outcome.throughput.makespan_s * unit::s,
                            start, serving_case.name);
}

}  // namespace gpucap::evaluate
