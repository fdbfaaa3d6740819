#include "gpucap/validate/prediction.hpp"

#include "gpucap/scenario/read.hpp"
#include "gpucap/scenario/settings.hpp"
#include "gpucap/scenario/study.hpp"

#include <algorithm>
#include <atomic>
#include <thread>

namespace gpucap::validate {
namespace {

/// The same requests, all at once and enough of them to keep the engine full.
scenario::Scenario all_at_once(scenario::Scenario asked, const plan::ServingPlan& plan) {
  if (auto* trace = std::get_if<scenario::Replayed>(&asked.requests)) {
    trace->options.rate_scale *= 1e9;
    trace->clients.reset();
    return asked;
  }
  auto& generated = std::get<scenario::Generated>(asked.requests);
  generated.requests = std::max<std::int64_t>(1000, 4 * plan.rules.max_num_seqs * plan.replicas);
  generated.arrivals = workload::Arrivals::all_at_once();
  generated.rate.reset();
  return asked;
}

std::optional<double> offered_rate(const scenario::Scenario& asked) {
  const auto* generated = std::get_if<scenario::Generated>(&asked.requests);
  if (generated == nullptr || !generated->rate) return std::nullopt;
  return generated->rate->in(unit::per_s);
}

/// One request after the other: a queue cannot form, whatever the engine could do at once.
bool one_at_a_time(const scenario::Scenario& asked) {
  const auto* generated = std::get_if<scenario::Generated>(&asked.requests);
  if (generated == nullptr) return false;
  return generated->requests == 1 || (generated->arrivals && generated->arrivals->clients() == 1);
}

bool arrives_at_once(const scenario::Scenario& asked) {
  const auto* generated = std::get_if<scenario::Generated>(&asked.requests);
  return generated != nullptr && generated->rateless && generated->arrivals &&
         !generated->arrivals->clients();
}

/// Requests per second offered to the engine over those that it could do.
double load_of(const PlannedCase& planned, const evaluate::Outcome& outcome) {
  if (one_at_a_time(planned.asked)) return 0;
  if (arrives_at_once(planned.asked)) return 1;
  const PlannedCase full{all_at_once(planned.asked, planned.serving_case.plan),
                         planned.serving_case};
  const auto possible = run_case(full).throughput.requests_per_s;
  const auto offered = offered_rate(planned.asked);
  const double asked = offered ? *offered : outcome.throughput.requests_per_s.value_or(0);
  return possible && *possible > 0 ? asked / *possible : 0;
}

Prediction predicted(const PlannedCase& planned) {
  Prediction prediction;
  prediction.outcome = run_case(planned);
  const evaluate::Outcome& outcome = prediction.outcome;
  if (!outcome.feasible || outcome.requests.finished == 0) {
    prediction.refusal = outcome.reason.value_or("no request finishes");
    return prediction;
  }
  if (!kv_bound(outcome)) prediction.load = load_of(planned, outcome);
  prediction.zone = zone_of(outcome, prediction.load.value_or(0));
  return prediction;
}

std::string first_problem(const InputError& error) {
  return error.problems().empty() ? "refused" : error.problems().front().message;
}

std::optional<double> latency(const Summary& summary, const std::string& statistic) {
  if (statistic == "mean") return summary.mean;
  if (statistic == "p50") return summary.p50;
  if (statistic == "p90") return summary.p90;
  if (statistic == "p95") return summary.p95;
  if (statistic == "p99") return summary.p99;
  return std::nullopt;
}

}  // namespace

bool kv_bound(const evaluate::Outcome& outcome) {
  const auto waits = outcome.bottleneck_shares[static_cast<std::size_t>(record::Cause::kv_cache)];
  const auto finished = static_cast<double>(outcome.requests.finished);
  return static_cast<double>(outcome.requests.preempted) > 0.01 * finished || waits > 0.05;
}

Zone zone_of(const evaluate::Outcome& outcome, double load) {
  if (kv_bound(outcome)) return Zone::kv_bound;
  if (load < 0.7) return Zone::light;
  return load <= 0.95 ? Zone::knee : Zone::saturated;
}

PlannedCase plan_only(const scenario::Options& options, scenario::Library& library,
                      const Change& change) {
  auto document = scenario::document_from("measured", "serving", scenario::settings_of(options));
  PlannedCase planned{scenario::read_scenario(document, "", library), {}};
  planned.serving_case = scenario::plan_study(planned.asked, library).at(0).cases.at(0);
  if (change) {
    plan::ServingQuestion question = planned.serving_case.plan.question;
    change(question);
    planned.serving_case.plan = plan::plan_serving(std::move(question));
  }
  return planned;
}

PlannedCase plan_case(const scenario::Options& options, scenario::Library& library,
                      const Change& change) {
  PlannedCase planned = plan_only(options, library, change);
  scenario::require_simulable(planned.asked);
  return planned;
}

evaluate::Outcome run_case(const PlannedCase& planned, const std::vector<record::Sink*>& sinks) {
  return evaluate::evaluate(planned.serving_case, scenario::requests_of(planned.asked, {}), sinks);
}

std::vector<Prediction> predict(const std::vector<ServingCase>& cases, scenario::Library& library) {
  std::vector<Prediction> predictions(cases.size());
  std::vector<std::optional<PlannedCase>> planned(cases.size());
  for (std::size_t i = 0; i < cases.size(); ++i) {
    try {
      planned[i] = plan_case(cases[i].options, library);
    } catch (const InputError& error) {
      predictions[i].refusal = first_problem(error);
    }
  }
  std::atomic<std::size_t> next{0};
  const auto work = [&] {
    for (std::size_t i = next++; i < cases.size(); i = next++) {
      if (!planned[i]) continue;
      try {
        predictions[i] = predicted(*planned[i]);
      } catch (const InputError& error) {
        predictions[i].refusal = first_problem(error);
      }
    }
  };
  std::vector<std::jthread> others;
  for (unsigned i = 1; i < std::thread::hardware_concurrency(); ++i) others.emplace_back(work);
  work();
  others.clear();  // waits for them
  return predictions;
}

std::optional<double> predicted_value(const evaluate::Outcome& outcome, const Measured& measured) {
  const std::string& statistic = measured.statistic;
  if (measured.metric == "throughput") {
    if (statistic == "out tok/s") return outcome.throughput.output_tokens_per_s;
    if (statistic == "total tok/s") return outcome.throughput.total_tokens_per_s;
    if (statistic == "req/s") return outcome.throughput.requests_per_s;
    return std::nullopt;
  }
  if (statistic == "itl mean") return outcome.itl_s.mean;
  if (measured.metric == "ttft") return latency(outcome.ttft_s, statistic);
  if (measured.metric == "tpot") return latency(outcome.tpot_s, statistic);
  if (measured.metric == "e2e") return latency(outcome.e2e_s, statistic);
  return std::nullopt;
}

}  // namespace gpucap::validate
