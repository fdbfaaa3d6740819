#include "sections.hpp"
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace gpucap::scenario {
namespace {

void read_layout(ObjectReader layout, Candidate& candidate) {
  candidate.layout.replicas = cards_from(layout, "replicas");
  candidate.layout.tensor_parallel = cards_from(layout, "tensor_parallel").value_or(1);
  candidate.layout.pipeline_parallel = cards_from(layout, "pipeline_parallel").value_or(1);
  candidate.layout.expert_parallel = layout.flag("expert_parallel").value_or(false);
  layout.finish();
}

std::optional<serving::Router> read_router(ObjectReader& object) {
  std::vector<std::pair<std::string, serving::Router>> words;
  for (const serving::Router router : serving::routers) {
    words.emplace_back(serving::name(router), router);
  }
  return object.choice<serving::Router>("router", "router", words);
}

Candidate read_candidate(ObjectReader& object, const Reading& reading,
                         const EngineOptions& common) {
  Candidate candidate;
  if (auto layout = object.object("layout")) read_layout(*layout, candidate);
  // Only the cards of one replica talk to each other; replicas may stand in several machines.
  const int group = candidate.layout.tensor_parallel * candidate.layout.pipeline_parallel;
  const HostRule rule = [&](const catalog::HostBook& hosts, const plan::Node& node) {
    return hosts.default_host(node.gpu, group);
  };
  read_rented(object, reading, rule, candidate);
  if (candidate.machines > 1) {
    object.problem("offer",
                   fmt::format("this offer has {} cards, the node has {}", candidate.offer->count,
                               candidate.node.count),
                   "contradiction");
  }
  candidate.router = read_router(object).value_or(candidate.router);
  EngineOptions own;
  if (auto engine = object.object("engine")) own = read_engine_options(*engine, reading);
  candidate.engine = own.over(common);
  object.finish();
  return candidate;
}

std::optional<std::int64_t> read_max_model_len(ObjectReader& engine) {
  const nlohmann::json* value = engine.raw("max_model_len");
  if (value != nullptr && value->is_string() && *value == "auto") return std::nullopt;
  return count_from(engine, "max_model_len");
}

}  // namespace

std::optional<std::string> read_format(ObjectReader& object, std::string_view key,
                                       const std::vector<std::string>& known) {
  std::vector<std::pair<std::string, std::string>> words;
  for (const std::string& word : known) words.emplace_back(word, word);
  return object.choice<std::string>(key, "format", words);
}

EngineOptions EngineOptions::over(const EngineOptions& common) const {
  EngineOptions merged = *this;
  const auto fill = [](auto& own, const auto& other) {
    if (!own) own = other;
  };
  fill(merged.profile, common.profile);
  fill(merged.weight_dtype, common.weight_dtype);
  fill(merged.kv_dtype, common.kv_dtype);
  fill(merged.max_num_seqs, common.max_num_seqs);
  fill(merged.max_num_batched_tokens, common.max_num_batched_tokens);
  fill(merged.max_model_len, common.max_model_len);
  fill(merged.gpu_memory_utilization, common.gpu_memory_utilization);
  fill(merged.prefix_caching, common.prefix_caching);
  if (!merged.kv_cache_tokens && !merged.kv_cache_memory) {
    merged.kv_cache_tokens = common.kv_cache_tokens;
    merged.kv_cache_memory = common.kv_cache_memory;
  }
  return merged;
}

EngineOptions read_engine_options(ObjectReader engine, const Reading& reading) {
  EngineOptions options;
  if (const auto kind = engine.text("kind")) {
    if (const auto* profile = reading.library.engine(*kind)) {
      options.profile = *profile;
    } else {
      engine.problem("kind", reading.library.engines().unknown(*kind), "unknown-name");
    }
  }
  options.weight_dtype = read_format(engine, "weight_dtype", models::weight_format_names());
  options.kv_dtype = read_format(engine, "kv_dtype", {"auto", "bf16", "fp16", "fp8"});
  options.max_num_seqs = count_from(engine, "max_num_seqs");
  options.max_num_batched_tokens = count_from(engine, "max_num_batched_tokens");
  options.max_model_len = read_max_model_len(engine);
  options.kv_cache_tokens = count_from(engine, "kv_cache_tokens");
  options.kv_cache_memory = engine.quantity("kv_cache_memory", parse_bytes);
  options.prefix_caching = engine.flag("prefix_caching");
  if (options.kv_cache_memory && !(*options.kv_cache_memory > Bytes{})) {
    engine.problem("kv_cache_memory", "must be above 0", "out-of-range");
  }
  if (options.kv_cache_memory && options.kv_cache_tokens) {
    engine.problem("kv_cache_memory", "kv_cache_tokens says it already; write one of the two",
                   "contradiction");
  }
  options.gpu_memory_utilization = share(engine, "gpu_memory_utilization");
  if (options.max_num_seqs && options.max_num_batched_tokens &&
      *options.max_num_batched_tokens < *options.max_num_seqs) {
    engine.problem("max_num_batched_tokens", "is below max_num_seqs; the engine refuses that",
                   "contradiction");
  }
  engine.finish();
  return options;
}

void read_candidates(ObjectReader& root, const Reading& reading, const EngineOptions& common,
                     Scenario& scenario) {
  for (ObjectReader& object : root.objects("candidates")) {
    scenario.candidates.push_back(read_candidate(object, reading, common));
    refuse_namesake(object, std::span<const Candidate>(scenario.candidates));
  }
  require_candidates(root);
}

}  // namespace gpucap::scenario
