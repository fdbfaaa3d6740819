#include "model_config.hpp"
#include <fmt/format.h>

namespace gpucap::catalog {
namespace {

void read_recurrent(ModelConfig& c) {
  auto& m = c.model;
  models::RecurrentAttention r;
  r.key_heads = c.required("linear_num_key_heads");
  r.key_head_dim = c.required("linear_key_head_dim");
  r.value_heads = c.required("linear_num_value_heads");
  r.value_head_dim = c.required("linear_value_head_dim");
  r.conv_kernel = c.required("linear_conv_kernel_dim");
  m.recurrent = r;
  const auto word = c.given("mamba_ssm_dtype") ? c.keys.text("mamba_ssm_dtype") : std::nullopt;
  const auto state = parse_dtype(word.value_or("float32"));
  if (!state) c.problem("mamba_ssm_dtype", fmt::format("unknown dtype \"{}\"", *word));
  const auto channels = 2 * r.key_heads * r.key_head_dim + r.value_heads * r.value_head_dim;
  const auto matrix = r.value_heads * r.key_head_dim * r.value_head_dim;
  m.recurrent_state_bytes = matrix * bits(state.value_or(Dtype::fp32)) / 8 +
                            channels * (r.conv_kernel - 1) * bits(m.dtype) / 8;
}

// Stages of a pipeline are counted with attending layers spread evenly, each last of its group.
void read_hybrid_layers(ModelConfig& c) {
  auto& m = c.model;
  const auto interval = c.count("full_attention_interval").value_or(4);
  if (interval < 1 || m.layers % interval != 0) {
    c.problem("full_attention_interval", fmt::format("must divide the {} layers", m.layers));
    return;
  }
  m.recurrent_layers = m.layers - m.layers / interval;
  if (!c.given("layer_types")) return;
  const auto words = c.keys.texts("layer_types");
  for (std::size_t i = 0; i < words.size(); ++i) {
    const bool attends = (i + 1) % static_cast<std::size_t>(interval) == 0;
    if (words[i] == (attends ? "full_attention" : "linear_attention")) continue;
    c.problem("layer_types", fmt::format("entry {} is \"{}\": only one full_attention at the end "
                                         "of each {} layers is modelled",
                                         i, words[i], interval));
    return;
  }
}

}  // namespace

void note_vision(ModelConfig& c) {
  if (c.outer && c.outer->raw("vision_config") != nullptr) {
    c.assume("the vision tower (vision_config) is not loaded");
  }
}

void note_draft(ModelConfig& c, const char* key) {
  if (c.count(key).value_or(0) > 0) {
    c.assume(fmt::format("the draft module ({}) is not loaded", key));
  }
}

void read_qwen3_5(ModelConfig& c) {
  read_decoder(c, false);
  refuse_bias(c);
  c.model.qk_norm = true;
  c.model.attention_gate = c.flag("attn_output_gate", true);
  read_recurrent(c);
  read_hybrid_layers(c);
  note_vision(c);
  note_draft(c, "mtp_num_hidden_layers");
}

void read_qwen3_5_moe(ModelConfig& c) {
  models::Experts experts;
  experts.routed = c.required("num_experts");
  experts.per_token = c.required("num_experts_per_tok");
  experts.ffn = c.required("moe_intermediate_size");
  experts.shared_ffn = c.count("shared_expert_intermediate_size").value_or(0);
  experts.shared = experts.shared_ffn > 0 ? 1 : 0;
  experts.shared_gate = experts.shared > 0;
  c.model.experts = experts;
  read_qwen3_5(c);
}

}  // namespace gpucap::catalog
