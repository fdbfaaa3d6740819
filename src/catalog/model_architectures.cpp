#include <algorithm>
#include <array>
#include <string_view>

#include "model_config.hpp"
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace gpucap::catalog {
namespace {

void read_llama(ModelConfig& c) {
  read_decoder(c, false);
  refuse_bias(c);
}

void read_qwen2(ModelConfig& c) {
  read_qwen(c);
  c.model.qkv_bias = true;
}

void read_gpt2(ModelConfig& c) {
  auto& m = c.model;
  m.layers = c.required("n_layer");
  m.hidden = c.required("n_embd");
  m.heads = c.required("n_head");
  m.vocab = c.required("vocab_size");
  m.max_positions = c.required("n_positions");
  m.ffn = c.count("n_inner").value_or(4 * m.hidden);
  m.kv_heads = m.heads;
  m.head_dim = m.hidden / m.heads;
  m.gated_mlp = false;
  m.linear_bias = m.norm_bias = m.learned_positions = true;
  read_dtype(c);
  read_tying(c, true);
}

struct Architecture {
  std::string_view name;
  void (*read)(ModelConfig&);
};

constexpr std::array<Architecture, 21> architectures = {{
    {"LlamaForCausalLM", read_llama},
    {"MistralForCausalLM", read_mistral},
    {"MixtralForCausalLM", read_mixtral},
    {"Qwen2ForCausalLM", read_qwen2},
    {"Qwen3ForCausalLM", read_qwen3},
    {"Qwen3MoeForCausalLM", read_qwen3_moe},
    {"Qwen3_5ForConditionalGeneration", read_qwen3_5},
    {"DeepseekV2ForCausalLM", read_deepseek},
    {"DeepseekV3ForCausalLM", read_deepseek},
    {"GPT2LMHeadModel", read_gpt2},
    {"Qwen3_5MoeForConditionalGeneration", read_qwen3_5_moe},
    {"GptOssForCausalLM", read_gpt_oss},
    {"Glm4MoeForCausalLM", read_glm4_moe},
    {"Llama4ForConditionalGeneration", read_llama4},
    {"Gemma2ForCausalLM", read_gemma2},
    {"Phi3ForCausalLM", read_phi3},
    {"BloomForCausalLM", read_bloom},
    {"BertModel", read_bert},
    {"XLMRobertaModel", read_bert},
    {"BertForSequenceClassification", read_reranker},
    {"XLMRobertaForSequenceClassification", read_reranker},
}};

}  // namespace

void read_mistral(ModelConfig& c) {
  read_decoder(c, false);
  read_window(c, c.model.layers);
}

// The window of Qwen counts only where `use_sliding_window` says so, and then from
// `max_window_layers` on.
void read_qwen(ModelConfig& c) {
  read_decoder(c, false);
  const bool active = c.flag("use_sliding_window", false);
  const auto full = c.count("max_window_layers").value_or(c.model.layers);
  read_window(c, active ? std::max<std::int64_t>(0, c.model.layers - full) : 0);
}

void read_qwen3(ModelConfig& c) {
  read_qwen(c);
  refuse_bias(c);
  c.model.qk_norm = true;
}

std::vector<std::string> known_architectures() {
  std::vector<std::string> names;
  for (const auto& architecture : architectures) names.emplace_back(architecture.name);
  return names;
}

void read_architecture(ModelConfig& config, const std::string& name) {
  const auto found = std::find_if(architectures.begin(), architectures.end(),
                                  [&](const auto& known) { return known.name == name; });
  config.model.architecture = name;
  if (found != architectures.end()) {
    found->read(config);
    return;
  }
  (config.outer ? *config.outer : config.keys)
      .problem("architectures",
               fmt::format("unknown architecture \"{}\"; known: {}", name,
                           fmt::join(known_architectures(), ", ")),
               "unknown-name");
}

}  // namespace gpucap::catalog
