#include "planning.hpp"

#include "gpucap/core/version.hpp"
#include "gpucap/perf/roofline.hpp"
#include "gpucap/scenario/study.hpp"

#include <fmt/format.h>

namespace gpucap::scenario {
namespace {

[[noreturn]] void refuse(const Candidate& candidate, const std::string& key, std::string message,
                         std::string code) {
  throw InputError(Problem{"", "", candidate.pointer + key, std::move(message), std::move(code)});
}

/// A full-precision weight format is the format of the whole model: activations and cache follow.
models::Transformer in_own_format(models::Transformer model, const Candidate& candidate) {
  const std::string format = candidate.engine.weight_dtype.value_or("auto");
  if (format == "bf16" || format == "fp16" || format == "fp32") model.dtype = *parse_dtype(format);
  return model;
}

Dtype kv_dtype_of(const EngineOptions& options, const models::Transformer& model) {
  const std::string word = options.kv_dtype.value_or("auto");
  return word == "auto" ? model.dtype : *parse_dtype(word);
}

plan::EngineSettings settings_of(const Candidate& candidate, const models::Transformer& model) {
  const EngineOptions& options = candidate.engine;
  plan::EngineSettings settings;
  settings.profile = *options.profile;
  const std::string format = options.weight_dtype.value_or("auto");
  const auto weights = models::weight_format(model, format);
  if (!weights) {
    refuse(candidate, "/engine/weight_dtype",
           fmt::format("{} cannot be stored as {}", model.id, format), "unknown-name");
  }
  settings.weights = *weights;
  settings.kv_dtype = kv_dtype_of(options, model);
  settings.max_num_seqs = options.max_num_seqs;
  settings.max_num_batched_tokens = options.max_num_batched_tokens;
  settings.gpu_memory_utilization = options.gpu_memory_utilization;
  settings.max_model_len = options.max_model_len;
  settings.kv_cache_tokens = options.kv_cache_tokens;
  settings.kv_cache_memory = options.kv_cache_memory;
  settings.prefix_caching = options.prefix_caching;
  return settings;
}

/// The currency of the comparison: stated, or that of the first price.
std::optional<Currency> currency_of(const Scenario& scenario) {
  if (scenario.currency) return scenario.currency;
  for (const Candidate& candidate : scenario.candidates) {
    if (candidate.price) return candidate.price->currency;
    if (candidate.offer) return candidate.offer->price.currency;
  }
  return std::nullopt;
}

evaluate::Terms terms_of(const Scenario& scenario, const Candidate& candidate) {
  evaluate::Terms terms;
  if (candidate.offer) terms.price = account::price_of(*candidate.offer);
  if (candidate.price) terms.price = account::price_given(*candidate.price);
  terms.currency = currency_of(scenario);
  terms.fx = scenario.fx;
  terms.hours_per_month = scenario.hours_per_month;
  terms.energy = scenario.energy;
  if (terms.price && terms.currency) {
    const auto converted = scenario.fx.convert(terms.price->per_hour, *terms.currency);
    if (!converted) {
      refuse(candidate, candidate.offer ? "/offer" : "/price", converted.failure().message,
             converted.failure().code);
    }
  }
  return terms;
}

/// Prices older than a quarter are worth a word.
constexpr std::int64_t stale_after_days = 90;

std::vector<std::string> price_notes(const Scenario& scenario, const Candidate& candidate) {
  std::vector<std::string> notes;
  const auto day = as_of(scenario);
  if (!candidate.offer || !day) return notes;
  const auto age = pricing::staleness(*candidate.offer, *day);
  if (!age.days || *age.days > stale_after_days) notes.push_back(age.text);
  return notes;
}

void apply(const perf::Draw& draw, plan::ServingQuestion& question) {
  question.calibration = perf::drawn(std::move(question.calibration), question.node.gpu.id, draw);
  question.engine.profile = perf::drawn(std::move(question.engine.profile), draw);
}

}  // namespace

evaluate::ServingCase plan_case(const Scenario& scenario, const Candidate& candidate,
                                const models::Transformer& model, Library& library,
                                const perf::Draw* draw) {
  plan::ServingQuestion question;
  question.model = in_own_format(model, candidate);
  question.node = candidate.node;
  question.layout = candidate.layout;
  question.engine = settings_of(candidate, question.model);
  question.calibration = library.calibration(candidate.node.gpu);
  if (candidate.spec_only) question.calibration = perf::roofline(question.calibration);
  if (draw != nullptr) apply(*draw, question);

  evaluate::ServingCase one;
  one.name = candidate.name;
  one.plan = plan::plan_serving(std::move(question));
  for (auto* links : {&one.plan.all_reduce, &one.plan.all_gather, &one.plan.send_recv}) {
    if (draw != nullptr && *links) *links = perf::drawn(**links, *draw);
  }
  one.router = candidate.router;
  one.stepping = scenario.stepping;
  one.slo = scenario.slo;
  one.terms = terms_of(scenario, candidate);
  one.provenance.version = version();
  one.provenance.inputs_sha256 = scenario.inputs_sha256;
  one.provenance.seed = scenario.seed;
  one.notes = candidate.notes;
  const auto stale = price_notes(scenario, candidate);
  one.notes.insert(one.notes.end(), stale.begin(), stale.end());
  for (const std::string& assumed : model.assumed) {
    one.notes.push_back(fmt::format("{}: {}", model.id, assumed));
  }
  return one;
}

}  // namespace gpucap::scenario
