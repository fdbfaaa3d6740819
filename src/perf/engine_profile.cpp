#include "gpucap/perf/engine_profile.hpp"

#include <algorithm>
#include <cctype>
#include <stdexcept>

namespace gpucap::perf {
namespace {

std::string lower_case(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

bool matches(const EngineProfile::CardDefaults& rule, const hardware::Gpu& gpu) {
  if (rule.min_visible_memory && gpu.memory_visible < *rule.min_visible_memory) return false;
  const auto name = lower_case(gpu.name + " " + gpu.id);
  return std::none_of(rule.not_if_name_contains.begin(), rule.not_if_name_contains.end(),
                      [&](const std::string& part) { return name.find(part) != name.npos; });
}

}  // namespace

BatchLimits default_limits(const EngineProfile& engine, const hardware::Gpu& gpu,
                           std::int64_t max_model_len) {
  const auto& rules = engine.card_defaults;
  const auto rule =
      std::find_if(rules.begin(), rules.end(), [&](const auto& r) { return matches(r, gpu); });
  if (rule == rules.end()) {
    throw std::out_of_range(engine.id + " has no default batch limits for " + gpu.id);
  }
  BatchLimits limits{rule->max_num_batched_tokens,
                     engine.fixed_max_num_seqs.value_or(rule->max_num_seqs),
                     engine.chunked_prefill};
  if (!limits.chunked_prefill) {
    const auto& lengthy = engine.chunked_when_long;
    limits.chunked_prefill = lengthy && max_model_len > lengthy->above_model_len;
    limits.max_num_batched_tokens = limits.chunked_prefill
                                        ? lengthy->max_num_batched_tokens
                                        : std::max(limits.max_num_batched_tokens, max_model_len);
  }
  limits.max_num_seqs = std::min(limits.max_num_seqs, limits.max_num_batched_tokens);
  return limits;
}

}  // namespace gpucap::perf
