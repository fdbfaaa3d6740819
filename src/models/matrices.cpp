#include "matrices.hpp"

namespace gpucap::models {
namespace {
using Role = Gemm::Role;

void add_query_key_value(const Transformer& m, int tp, std::vector<Matrix>& out) {
  const auto queries = share(m.heads, tp) * (m.attention_gate ? 2 : 1);
  const auto n = (queries + 2 * kv_heads_on_rank(m, tp)) * m.head_dim;
  const bool bias = m.qkv_bias || m.linear_bias;
  out.push_back({"qkv", Role::attention, Where::attending, n, m.hidden, bias ? n : 0, true});
  out.push_back({"o", Role::attention, Where::attending, m.hidden, share(m.heads, tp) * m.head_dim,
                 m.linear_bias || m.output_bias ? m.hidden : 0, true});
}

// The down-projections to the latents are whole on every rank: each needs the full latent.
void add_latent(const Transformer& m, int tp, std::vector<Matrix>& out) {
  const auto& a = *m.latent;
  const auto heads = share(m.heads, tp);
  const auto attention = [&](std::string name, std::int64_t n, std::int64_t k) {
    out.push_back({std::move(name), Role::attention, Where::attending, n, k, 0, true});
  };
  const auto query = heads * (a.qk_nope + a.qk_rope);
  if (a.q_lora > 0) {
    attention("q_a", a.q_lora, m.hidden);
    attention("q_b", query, a.q_lora);
  } else {
    attention("q", query, m.hidden);
  }
  attention("kv_a", a.kv_lora + a.qk_rope, m.hidden);
  attention("kv_b", heads * (a.qk_nope + a.v_head), a.kv_lora);
  attention("o", m.hidden, heads * a.v_head);
}

void add_recurrent(const Transformer& m, int tp, std::vector<Matrix>& out) {
  const auto& r = *m.recurrent;
  const auto keys = share(r.key_heads, tp) * r.key_head_dim;
  const auto values = share(r.value_heads, tp) * r.value_head_dim;
  out.push_back(
      {"linear_qkvz", Role::attention, Where::recurrent, 2 * keys + 2 * values, m.hidden, 0, true});
  out.push_back({"linear_ba", Role::attention, Where::recurrent, 2 * share(r.value_heads, tp),
                 m.hidden, 0, false});
  out.push_back({"linear_out", Role::attention, Where::recurrent, m.hidden, values, 0, true});
}

void add_dense_mlp(const Transformer& m, int tp, std::vector<Matrix>& out) {
  const auto up = share(m.ffn, tp) * (m.gated_mlp ? 2 : 1);
  out.push_back({m.gated_mlp ? "gate_up" : "up", Role::mlp, Where::dense, up, m.hidden,
                 m.linear_bias ? up : 0, true});
  out.push_back({"down", Role::mlp, Where::dense, m.hidden, share(m.ffn, tp),
                 m.linear_bias ? m.hidden : 0, true});
}

void add_sparse_mlp(const Transformer& m, int tp, std::vector<Matrix>& out) {
  const auto& e = *m.experts;
  out.push_back({"router", Role::router, Where::sparse, e.routed, m.hidden, 0, false});
  if (e.shared_ffn == 0) return;
  const auto ffn = share(e.shared_ffn, tp);
  out.push_back({"shared_gate_up", Role::mlp, Where::sparse, 2 * ffn, m.hidden, 0, true});
  out.push_back({"shared_down", Role::mlp, Where::sparse, m.hidden, ffn, 0, true});
  if (e.shared_gate) {
    out.push_back({"shared_gate", Role::router, Where::sparse, 1, m.hidden, 0, false});
  }
}

std::int64_t attending_vectors(const Transformer& m, int tp) {
  auto count = (1 + m.extra_norms) * norm_weights(m);
  if (m.attention_sinks) count += share(m.heads, tp);
  if (m.latent) count += m.latent->q_lora + m.latent->kv_lora;
  if (m.qk_norm) count += 2 * m.head_dim;
  return count;
}

// Norm, router bias and the biases of the experts.
std::int64_t sparse_vectors(const Transformer& m, int tp) {
  if (!m.experts) return norm_weights(m);
  const auto& e = *m.experts;
  const auto biases = e.bias ? e.routed * (2 * share(e.ffn, tp) + m.hidden) : 0;
  return norm_weights(m) + e.router_bias * e.routed + biases;
}

std::int64_t recurrent_vectors(const Transformer& m, int tp) {
  if (!m.recurrent) return 0;
  const auto& r = *m.recurrent;
  const auto channels =
      2 * share(r.key_heads, tp) * r.key_head_dim + share(r.value_heads, tp) * r.value_head_dim;
  // Decay and time-step bias of each value head, and the norm of its output.
  return norm_weights(m) + channels * r.conv_kernel + 2 * share(r.value_heads, tp) +
         r.value_head_dim;
}

}  // namespace

std::vector<Matrix> layer_matrices(const Transformer& model, int tensor_parallel) {
  std::vector<Matrix> out;
  if (model.latent) {
    add_latent(model, tensor_parallel, out);
  } else {
    add_query_key_value(model, tensor_parallel, out);
  }
  if (model.recurrent) add_recurrent(model, tensor_parallel, out);
  if (!model.experts || model.experts->dense_layers > 0) {
    add_dense_mlp(model, tensor_parallel, out);
  }
  if (model.experts) add_sparse_mlp(model, tensor_parallel, out);
  return out;
}

std::int64_t expert_weights(const Transformer& model, int tensor_parallel) {
  if (!model.experts) return 0;
  return 3 * model.hidden * share(model.experts->ffn, tensor_parallel);
}

std::int64_t vector_weights(const Transformer& model, Where where, int tensor_parallel) {
  switch (where) {
    case Where::attending:
      return attending_vectors(model, tensor_parallel);
    case Where::recurrent:
      return recurrent_vectors(model, tensor_parallel);
    case Where::dense:
      return norm_weights(model);
    case Where::sparse:
      return sparse_vectors(model, tensor_parallel);
  }
  return 0;
}

std::int64_t norm_weights(const Transformer& model) {
  return model.hidden * (model.norm_bias ? 2 : 1);
}

std::int64_t vocabulary_weights(const Transformer& model, int tensor_parallel) {
  return share(model.vocab, tensor_parallel) * model.hidden;
}

std::int64_t position_weights(const Transformer& model) {
  const auto positions = model.learned_positions ? model.max_positions : 0;
  return (positions + model.token_types) * model.hidden;
}

std::int64_t edge_norm_weights(const Transformer& model, bool first, bool last) {
  const bool final_norm = last && !model.encoder;  // encoders normalise after each half layer
  return norm_weights(model) * ((first && model.embedding_norm ? 1 : 0) + (final_norm ? 1 : 0));
}

std::int64_t classifier_weights(const Transformer& model) {
  const auto square = model.pooler || model.classes > 0 ? model.hidden * model.hidden : 0;
  return square + model.classes * model.hidden;
}

std::int64_t classifier_biases(const Transformer& model) {
  return (model.pooler || model.classes > 0 ? model.hidden : 0) + model.classes;
}

std::int64_t layers_in(const Stage& stage, Where where) {
  switch (where) {
    case Where::attending:
      return stage.attending;
    case Where::recurrent:
      return stage.recurrent;
    case Where::dense:
      return stage.dense;
    case Where::sparse:
      return stage.sparse;
  }
  return 0;
}

}  // namespace gpucap::models
