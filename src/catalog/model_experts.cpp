#include "model_config.hpp"
#include <nlohmann/json.hpp>

namespace gpucap::catalog {
namespace {

void read_latent(ModelConfig& c) {
  models::LatentAttention latent;
  latent.q_lora = c.count("q_lora_rank").value_or(0);
  latent.kv_lora = c.required("kv_lora_rank");
  latent.qk_nope = c.required("qk_nope_head_dim");
  latent.qk_rope = c.required("qk_rope_head_dim");
  latent.v_head = c.required("v_head_dim");
  c.model.latent = latent;
  c.model.head_dim = latent.qk_nope + latent.qk_rope;
}

void read_deepseek_experts(ModelConfig& c) {
  models::Experts experts;
  experts.routed = c.required("n_routed_experts");
  experts.per_token = c.required("num_experts_per_tok");
  experts.ffn = c.required("moe_intermediate_size");
  experts.shared = c.count("n_shared_experts").value_or(0);
  experts.shared_ffn = experts.shared * experts.ffn;
  experts.dense_layers = c.count("first_k_dense_replace").value_or(0);
  // Balancing without an auxiliary loss keeps a bias per expert.
  if (c.given("topk_method") && c.keys.text("topk_method") == "noaux_tc") experts.router_bias = 1;
  c.model.experts = experts;
  if (c.count("moe_layer_freq").value_or(1) != 1) {
    c.problem("moe_layer_freq", "only 1 (experts in each later layer) is modelled");
  }
  if (experts.dense_layers > c.model.layers) {
    c.problem("first_k_dense_replace", "there are not that many layers");
  }
}

}  // namespace

void read_deepseek(ModelConfig& c) {
  read_decoder(c, false);
  refuse_bias(c);
  read_latent(c);
  read_deepseek_experts(c);
  note_draft(c, "num_nextn_predict_layers");
}

void read_mixtral(ModelConfig& c) {
  read_mistral(c);
  models::Experts experts;
  experts.routed = c.required("num_local_experts");
  experts.per_token = c.required("num_experts_per_tok");
  experts.ffn = c.model.ffn;
  c.model.experts = experts;
}

void read_qwen3_moe(ModelConfig& c) {
  read_qwen3(c);
  models::Experts experts;
  experts.routed = c.required("num_experts");
  experts.per_token = c.required("num_experts_per_tok");
  experts.ffn = c.required("moe_intermediate_size");
  c.model.experts = experts;
  if (c.count("decoder_sparse_step").value_or(1) != 1) {
    c.problem("decoder_sparse_step", "only 1 (experts in each layer) is modelled");
  }
  if (c.given("mlp_only_layers") && !c.keys.raw("mlp_only_layers")->empty()) {
    c.problem("mlp_only_layers", "layers without experts in between are not modelled");
  }
}

void read_gpt_oss(ModelConfig& c) {
  read_decoder(c, false);
  auto& m = c.model;
  m.qkv_bias = m.output_bias = c.flag("attention_bias", true);
  m.attention_sinks = true;
  models::Experts experts;
  experts.routed = c.required("num_local_experts");
  experts.per_token =
      c.required(c.given("num_experts_per_tok") ? "num_experts_per_tok" : "experts_per_token");
  experts.ffn = m.ffn;
  experts.router_bias = 1;
  experts.bias = true;
  m.experts = experts;
  c.count("experts_per_token");
  read_window(c, m.layers / 2);
}

void read_glm4_moe(ModelConfig& c) {
  read_decoder(c, false);
  auto& m = c.model;
  m.qkv_bias = c.flag("attention_bias", true);
  m.qk_norm = c.flag("use_qk_norm", false);
  read_deepseek_experts(c);
  m.experts->router_bias = 1;  // balanced without an auxiliary loss
  note_draft(c, "num_nextn_predict_layers");
}

// Three of four layers look at their chunk of the context only. As long as a sequence is no longer
// than a chunk that is whole attention; beyond it a window of the same length is taken.
void read_llama4(ModelConfig& c) {
  read_decoder(c, false);
  refuse_bias(c);
  auto& m = c.model;
  models::Experts experts;
  experts.routed = c.required("num_local_experts");
  experts.per_token = c.required("num_experts_per_tok");
  experts.ffn = experts.shared_ffn = m.ffn;
  experts.shared = 1;
  m.experts = experts;
  c.count("intermediate_size_mlp");  // of layers without experts
  if (c.count("interleave_moe_layer_step").value_or(1) != 1) {
    c.problem("interleave_moe_layer_step", "only 1 (experts in each layer) is modelled");
  }
  if (const auto chunk = c.count("attention_chunk_size")) {
    m.sliding_window = chunk;
    m.sliding_layers = m.layers - m.layers / 4;
  }
  note_vision(c);
}

}  // namespace gpucap::catalog
