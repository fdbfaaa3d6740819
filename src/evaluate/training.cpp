#include "gpucap/evaluate/training.hpp"

#include "gpucap/core/error.hpp"
#include "gpucap/training/limits.hpp"
#include "gpucap/training/search.hpp"

#include <algorithm>
#include <cmath>

#include "calibration_files.hpp"
#include <fmt/format.h>

namespace gpucap::evaluate {
namespace {

using training::Question;
using training::StepTime;

double cards_of(const Question& question) {
  return question.node.count;
}

/// Longer sequences are trained on purpose at times, but hardly by accident.
void note_length(TrainingOutcome& outcome, const Question& question) {
  const auto* model = std::get_if<models::Transformer>(&question.network);
  if (model == nullptr || question.settings.seq_len <= model->max_positions) return;
  outcome.notes.push_back(fmt::format("{} tokens are beyond the {} positions of {}",
                                      question.settings.seq_len, model->max_positions, model->id));
}

void describe(TrainingOutcome& outcome, const TrainingCase& one, const Question& question) {
  outcome.name = one.name;
  outcome.layout = question.layout;
  outcome.settings = question.settings;
  outcome.gpu = question.node.gpu.id;
  outcome.cards = question.node.count;
  outcome.software = question.software.id;
  outcome.provenance = one.provenance;
  add_kernel_files(outcome.provenance.calibration, question.calibration, question.node.gpu.id);
  outcome.provenance.calibration.push_back("calibration/software/" + question.software.id +
                                           ".json");
  note_length(outcome, question);
  if (one.terms.price) outcome.provenance.offers.push_back(one.terms.price->offer);
  outcome.notes.insert(outcome.notes.end(), one.notes.begin(), one.notes.end());
}

/// The case's question, or the fastest of its layouts.
Question settled(const TrainingCase& one, TrainingOutcome& outcome) {
  if (!one.search_batch) return one.question;
  const auto found = training::search_layouts(one.question, *one.search_batch);
  outcome.search = TrainingOutcome::Search{found.tried, found.fit, {}, 1, 1};
  if (!found.fastest) return found.nearest ? found.nearest->question : one.question;
  const auto card_time = [](const training::LaidOut& laid) {
    return laid.step.time * cards_of(laid.question);
  };
  const bool fewer = found.cheapest->question.node.count < found.fastest->question.node.count;
  if (fewer) {
    outcome.search->cheapest = found.cheapest->question.layout;
    outcome.search->cheapest_cost_ratio = card_time(*found.cheapest) / card_time(*found.fastest);
    outcome.search->cheapest_time_ratio = found.cheapest->step.time / found.fastest->step.time;
  }
  return found.fastest->question;
}

void fill_bottleneck(TrainingOutcome& outcome, const StepTime& step) {
  const Seconds sum = step.work.time();
  if (!(sum > Seconds{})) return;
  const auto& parts = step.work.by_cause;
  for (std::size_t i = 0; i < record::cause_count; ++i) {
    outcome.bottleneck_shares[i] = parts[i] / sum;
  }
  const auto largest = std::max_element(parts.begin(), parts.end());
  outcome.bottleneck = static_cast<record::Cause>(largest - parts.begin());
}

void fill_throughput(TrainingOutcome& outcome, const Question& question, const StepTime& step) {
  const double seconds = step.time.in(unit::s);
  if (step.tokens > 0) outcome.throughput.tokens_per_s = static_cast<double>(step.tokens) / seconds;
  outcome.throughput.samples_per_s = static_cast<double>(step.samples) / seconds;
  const Flops possible =
      question.node.gpu.peak(question.settings.arithmetic) * step.time * cards_of(question);
  outcome.throughput.mfu = step.model_flops / possible;
  outcome.throughput.hfu = step.hardware_flops / possible;
}

/// Whole steps that see at least what is to be trained.
std::optional<std::int64_t> steps_of(const TrainingCase& one, const StepTime& step) {
  const auto cut = [](std::int64_t all, std::int64_t per_step) {
    return all / per_step + (all % per_step != 0 ? 1 : 0);
  };
  if (one.tokens && step.tokens > 0) return cut(*one.tokens, step.tokens);
  if (one.samples) return cut(*one.samples, step.samples);
  return std::nullopt;
}

void fill_run(TrainingOutcome& outcome, const TrainingCase& one, const StepTime& step) {
  outcome.run.steps = steps_of(one, step);
  if (!outcome.run.steps) return;
  const double seconds = step.time.in(unit::s) * static_cast<double>(*outcome.run.steps);
  constexpr double century_s = 3.2e9;
  if (seconds < century_s) {
    outcome.run.time_s = seconds;
    return;
  }
  outcome.feasible = false;
  outcome.reason = fmt::format("the run would take {:.0f} years", seconds / 3.1536e7);
}

/// The price of the whole run where there is one, and of an hour's work otherwise.
void fill_cost(TrainingOutcome& outcome, const TrainingCase& one) {
  const Seconds held = outcome.run.time_s.value_or(3600) * unit::s;
  const account::RentedWork work{held, held, 0, 0, 0};
  const Terms& terms = one.terms;
  const auto found =
      account::summarize_cost(work, terms.price, terms.currency, terms.fx, terms.hours_per_month);
  if (!found) {
    throw InputError(Problem{"", "", one.name, found.failure().message, found.failure().code});
  }
  auto& cost = outcome.cost;
  cost.currency = (*found).currency;
  cost.per_hour = (*found).per_hour;
  cost.per_month = (*found).per_month;
  cost.offer = (*found).offer;
  cost.notes = (*found).notes;
  if (!outcome.feasible || !(*found).per_hour) return;
  if (outcome.run.time_s) cost.run = (*found).run;
  const auto per = [&](std::optional<double> rate, double units) -> std::optional<double> {
    if (!rate) return std::nullopt;
    return *(*found).per_hour / 3600 / *rate * units;
  };
  cost.per_million_tokens = per(outcome.throughput.tokens_per_s, 1e6);
  cost.per_1000_samples = per(outcome.throughput.samples_per_s, 1e3);
}

void fill_energy(TrainingOutcome& outcome, const TrainingCase& one, const Question& question,
                 const StepTime& step) {
  const FlopRate peak = question.node.gpu.peak(question.settings.arithmetic);
  const auto card = account::card_power(question.node.gpu, question.calibration.power, peak);
  const Watts watts =
      account::active_power(card, step.time, step.work.flops, step.work.bytes) * cards_of(question);
  auto& energy = outcome.energy;
  energy.basis = account::basis_of(question.calibration.power);
  energy.mean_w = watts.in(unit::W);
  const Joules joules = watts * step.time;
  energy.joules_per_sample = joules.in(unit::J) / static_cast<double>(step.samples);
  if (step.tokens > 0) {
    energy.joules_per_token = joules.in(unit::J) / static_cast<double>(step.tokens);
  }
  outcome.notes.insert(outcome.notes.end(), card.notes.begin(), card.notes.end());
  if (!outcome.run.steps) return;
  energy.kwh = joules.in(unit::kWh) * static_cast<double>(*outcome.run.steps);
  const auto& terms = one.terms.energy;
  if (terms.grid_g_per_kwh) {
    energy.gco2e = *energy.kwh * terms.pue.value_or(1) * *terms.grid_g_per_kwh;
  }
}

void fill_limits(TrainingOutcome& outcome, const Question& question) {
  outcome.largest = {training::largest_micro_batch(question), training::largest_seq_len(question)};
  outcome.cures = training::find_cures(question);
}

}  // namespace

TrainingOutcome evaluate(const TrainingCase& one) {
  TrainingOutcome outcome;
  const Question question = settled(one, outcome);
  describe(outcome, one, question);
  if (const auto problem = layout_problem(question)) {
    outcome.reason = *problem;
    fill_cost(outcome, one);
    return outcome;
  }
  outcome.memory = training::training_footprint(question);
  outcome.feasible = outcome.memory->feasible;
  const auto& weighed = outcome.memory->notes;
  outcome.notes.insert(outcome.notes.end(), weighed.begin(), weighed.end());
  fill_limits(outcome, question);
  if (outcome.feasible) {
    outcome.step = training::training_step(question);
    const auto& timed = outcome.step->notes;
    outcome.notes.insert(outcome.notes.end(), timed.begin(), timed.end());
    fill_bottleneck(outcome, *outcome.step);
    fill_throughput(outcome, question, *outcome.step);
    fill_run(outcome, one, *outcome.step);
    fill_energy(outcome, one, question, *outcome.step);
  } else {
    outcome.reason = outcome.memory->reason;
  }
  fill_cost(outcome, one);
  return outcome;
}

}  // namespace gpucap::evaluate
