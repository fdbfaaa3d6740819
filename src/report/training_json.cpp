#include "gpucap/report/training.hpp"
#include "gpucap/study/training.hpp"

#include "json_values.hpp"

namespace gpucap::report {
namespace {

using evaluate::TrainingOutcome;
using training::Footprint;

Json gib(const std::optional<Footprint>& memory, Bytes Footprint::*part) {
  return memory ? number(((*memory).*part).in(unit::GiB)) : Json();
}

Json memory_part(const std::optional<Footprint>& memory) {
  Json terms = Json::object();
  if (memory) {
    for (const auto& [name, bytes] : memory->terms) {
      terms[name + "_gib"] = number(bytes.in(unit::GiB));
    }
  }
  return {{"weights_gib", gib(memory, &Footprint::weights)},
          {"gradients_gib", gib(memory, &Footprint::gradients)},
          {"optimizer_gib", gib(memory, &Footprint::optimizer)},
          {"activations_gib", gib(memory, &Footprint::activations)},
          {"other_gib", gib(memory, &Footprint::other)},
          {"free_gib", gib(memory, &Footprint::free)},
          {"peak_allocated_gib", gib(memory, &Footprint::peak_allocated)},
          {"peak_reserved_gib", gib(memory, &Footprint::peak_reserved)},
          {"load_peak_gib", gib(memory, &Footprint::load_peak)},
          {"host_gib", gib(memory, &Footprint::host)},
          {"checkpoint_gib", gib(memory, &Footprint::checkpoint)},
          {"terms", terms}};
}

Json layout_json(const training::Layout& layout) {
  Json words = Json::object();
  for (const auto& [name, degree] : training::degrees_of(layout)) words[std::string(name)] = degree;
  return words;
}

Json settings_json(const training::Settings& settings) {
  return {{"method", training::name(settings.method)},
          {"weights", training::name(settings.weights)},
          {"arithmetic", name(settings.arithmetic)},
          {"optimizer", training::name(settings.optimizer)},
          {"recompute", training::name(settings.recompute)},
          {"offload", training::name(settings.offload)},
          {"seq_len", settings.seq_len},
          {"micro_batch", settings.micro_batch},
          {"grad_accum", settings.grad_accum}};
}

Json step_json(const TrainingOutcome& outcome) {
  const auto part = [&](Seconds training::StepTime::*seconds) {
    return outcome.step ? number(((*outcome.step).*seconds).in(unit::s)) : Json();
  };
  using Step = training::StepTime;
  return {{"time_s", part(&Step::time)},
          {"compute_s", part(&Step::compute)},
          {"communication_s", part(&Step::communication)},
          {"optimizer_s", part(&Step::optimizer)},
          {"bubble_s", part(&Step::bubble)},
          {"offload_s", part(&Step::offload)},
          {"straggle_s", part(&Step::straggle)},
          {"forward_s", part(&Step::forward)},
          {"backward_s", part(&Step::backward)},
          {"recompute_s", part(&Step::recompute)},
          {"relative_error", outcome.step && outcome.step->relative_error > 0
                                 ? number(outcome.step->relative_error)
                                 : Json()}};
}

Json throughput_json(const TrainingOutcome::Throughput& t) {
  return {{"tokens_per_s", number(t.tokens_per_s)},
          {"samples_per_s", number(t.samples_per_s)},
          {"mfu", number(t.mfu)},
          {"hfu", number(t.hfu)}};
}

Json run_json(const TrainingOutcome::Run& run) {
  return {{"steps", run.steps ? Json(*run.steps) : Json()}, {"time_s", number(run.time_s)}};
}

Json cost_json(const TrainingOutcome::Cost& c) {
  return {{"currency", c.currency ? Json(c.currency->code()) : Json()},
          {"per_hour", number(c.per_hour)},
          {"run", number(c.run)},
          {"per_month", number(c.per_month)},
          {"per_million_tokens", number(c.per_million_tokens)},
          {"per_1000_samples", number(c.per_1000_samples)}};
}

Json energy_json(const TrainingOutcome::Energy& e) {
  return {{"kwh", number(e.kwh)},
          {"mean_w", number(e.mean_w)},
          {"joules_per_token", number(e.joules_per_token)},
          {"joules_per_sample", number(e.joules_per_sample)},
          {"gco2e", number(e.gco2e)},
          {"basis", e.mean_w ? optional_text(e.basis) : Json()}};
}

Json cure_json(const training::Cure& cure) {
  return {{"what", cure.what},
          {"fits", cure.fits},
          {"saved_gib", number(cure.saved.in(unit::GiB))},
          {"step_s", number(cure.step.in(unit::s))},
          {"lost_s", number(cure.lost.in(unit::s))}};
}

Json cures_json(const TrainingOutcome& outcome) {
  Json single = Json::array();
  for (const training::Cure& cure : outcome.cures.single) single.push_back(cure_json(cure));
  const auto& cheapest = outcome.cures.cheapest;
  return {{"single", single}, {"cheapest", cheapest ? cure_json(*cheapest) : Json()}};
}

Json largest_json(const TrainingOutcome& outcome) {
  const auto size = [](std::int64_t value) { return value > 0 ? Json(value) : Json(); };
  return {{"context_tokens", nullptr},
          {"concurrency", nullptr},
          {"micro_batch", size(outcome.largest.micro_batch)},
          {"seq_len", size(outcome.largest.seq_len)}};
}

Json search_json(const TrainingOutcome& outcome) {
  if (!outcome.search) return nullptr;
  const auto& search = *outcome.search;
  Json cheapest = nullptr;
  if (search.cheapest) {
    cheapest = layout_json(*search.cheapest);
    cheapest["cost_ratio"] = number(search.cheapest_cost_ratio);
    cheapest["time_ratio"] = number(search.cheapest_time_ratio);
  }
  return {{"tried", search.tried}, {"fit", search.fit}, {"cheapest", cheapest}};
}

Json outcome_json(const TrainingOutcome& outcome) {
  Json bottleneck = nullptr;
  if (outcome.bottleneck) bottleneck = std::string(perf::name(*outcome.bottleneck));
  return {
      {"name", outcome.name},
      {"feasible", outcome.feasible},
      {"reason", optional_text(outcome.reason.value_or(""))},
      {"gpu", outcome.gpu},
      {"count", outcome.cards},
      {"software", outcome.software},
      {"layout", layout_json(outcome.layout)},
      {"settings", settings_json(outcome.settings)},
      {"bottleneck", bottleneck},
      {"bottleneck_shares", shares_json(outcome.bottleneck.has_value(), outcome.bottleneck_shares)},
      {"memory", memory_part(outcome.memory)},
      {"step", step_json(outcome)},
      {"throughput", throughput_json(outcome.throughput)},
      {"run", run_json(outcome.run)},
      {"cost", cost_json(outcome.cost)},
      {"energy", energy_json(outcome.energy)},
      {"largest", largest_json(outcome)},
      {"cures", cures_json(outcome)},
      {"search", search_json(outcome)},
      {"interval", Json::object()},
      {"provenance", provenance_json(outcome.provenance)}};
}

}  // namespace

std::string training_json(const TrainingOutcome& outcome) {
  return dumped(outcome_json(outcome));
}

std::string training_memory_json(const TrainingOutcome& outcome) {
  return dumped({{"name", outcome.name},
                 {"feasible", outcome.feasible},
                 {"reason", optional_text(outcome.reason.value_or(""))},
                 {"layout", layout_json(outcome.layout)},
                 {"settings", settings_json(outcome.settings)},
                 {"memory", memory_part(outcome.memory)},
                 {"largest", largest_json(outcome)},
                 {"cures", cures_json(outcome)},
                 {"provenance", provenance_json(outcome.provenance)}});
}

std::string training_json(const TrainingReport& report) {
  Json candidates = Json::array();
  for (const TrainingOutcome& outcome : report.candidates) {
    candidates.push_back(outcome_json(outcome));
  }
  const study::TrainingWinners best = study::winners(report.candidates);
  const auto name = [&](std::optional<std::size_t> winner) {
    return winner ? Json(report.candidates[*winner].name) : Json();
  };
  const Json load = {
      {"name", "training"},
      {"candidates", candidates},
      {"winners",
       {{"cost", name(best.cost)}, {"latency", name(best.time)}, {"energy", name(best.energy)}}}};
  return dumped({{"scenario", report.scenario}, {"loads", Json::array({load})}});
}

}  // namespace gpucap::report
