#include "planning.hpp"

#include "gpucap/perf/roofline.hpp"
#include "gpucap/scenario/study.hpp"

#include "terms.hpp"
#include <fmt/format.h>

namespace gpucap::scenario {
namespace {

[[noreturn]] void refuse(const Rented& candidate, const std::string& key, std::string message,
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

plan::EngineSettings settings_of(const Candidate& candidate, const models::Transformer& model,
                                 const Library& library) {
  const EngineOptions& options = candidate.engine;
  plan::EngineSettings settings;
  settings.profile = library.beside(*options.profile, candidate.node.gpu);
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
  question.engine = settings_of(candidate, question.model, library);
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
  one.terms = terms_of(scenario, candidate, currency_of(scenario, rented(scenario.candidates)));
  one.provenance = provenance_of(scenario);
  one.notes = candidate.notes;
  const auto stale = price_notes(candidate, as_of(scenario));
  one.notes.insert(one.notes.end(), stale.begin(), stale.end());
  const auto own =
      calibration_notes(library, rented(scenario.candidates), candidate, as_of(scenario));
  one.notes.insert(one.notes.end(), own.begin(), own.end());
  for (const catalog::OwnCalibration& file : library.own_calibrations()) {
    const std::string& engine = candidate.engine.profile->id;
    if (file.card != candidate.node.gpu.id || !file.engine || file.engine->id == engine) continue;
    one.notes.push_back(fmt::format(
        "{} was made with {}, not {}: its host times are left out, and its shares of the card took "
        "up some of that engine's",
        file.file, file.engine->id, engine));
  }
  for (const std::string& assumed : model.assumed) {
    one.notes.push_back(fmt::format("{}: {}", model.id, assumed));
  }
  return one;
}

}  // namespace gpucap::scenario
