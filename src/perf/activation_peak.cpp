#include "activation_peak.hpp"

#include <algorithm>
#include <cmath>

namespace gpucap::perf {
namespace {

constexpr double bytes_per_number = 2;  // activations are bf16 or fp16 whatever the weights are

Bytes logits_peak(const ServingMemoryQuestion& q, const models::Stage& stage) {
  if (!stage.last || q.model->encoder) return {};
  const auto rows = std::min(q.max_num_seqs, q.max_num_batched_tokens);
  return q.engine->memory.sampler_bytes * static_cast<double>(rows * q.model->vocab) * unit::byte;
}

// 2 T (3 I / TP + m H): gate, up and their product beside the hidden states.
Bytes mlp_peak(const ServingMemoryQuestion& q, const models::Stage& stage) {
  if (stage.dense == 0) return {};
  const auto& memory = q.engine->memory;
  const auto ffn = static_cast<double>(q.model->ffn) / q.tensor_parallel;
  const auto width =
      memory.ffn_copies * ffn + memory.mlp_hidden_copies * static_cast<double>(q.model->hidden);
  return bytes_per_number * static_cast<double>(q.max_num_batched_tokens) * width * unit::byte;
}

// 2 T k (max(2 Im / TP, H) + Im / TP): two buffers of the fused kernel, k rows for each token.
Bytes expert_workspace(const ServingMemoryQuestion& q, const models::Stage& stage) {
  if (stage.sparse == 0 || !q.model->experts) return {};
  const auto ffn = static_cast<double>(q.model->experts->ffn) / q.tensor_parallel;
  const auto rows = static_cast<double>(q.max_num_batched_tokens * q.model->experts->per_token);
  const auto width = std::max(2 * ffn, static_cast<double>(q.model->hidden)) + ffn;
  return bytes_per_number * rows * width * unit::byte;
}

Bytes rounding_of(double tensor_bytes) {
  constexpr Bytes large = 10 * unit::MiB;  // below, tensors share segments
  constexpr Bytes segment = 2 * unit::MiB;
  constexpr Bytes kept = 1 * unit::MiB;  // a larger rest is split off and used again
  const auto size = tensor_bytes * unit::byte;
  if (size < large) return {};
  const auto rest = std::ceil(size / segment) * segment - size;
  return rest <= kept ? rest : Bytes{};
}

}  // namespace

ActivationPeak activation_peak(const ServingMemoryQuestion& q, const models::Stage& stage) {
  const auto& memory = q.engine->memory;
  const auto batched = static_cast<double>(q.max_num_batched_tokens * q.model->hidden);
  const auto hidden = memory.hidden_copies * batched * unit::byte;
  const auto logits = logits_peak(q, stage);
  const auto experts = expert_workspace(q, stage);
  const auto mlp = mlp_peak(q, stage);

  ActivationPeak peak;
  const auto beside_hidden = std::max(logits, experts);
  if (mlp > hidden + beside_hidden) {
    peak.mlp = mlp;
  } else {
    peak.hidden = hidden;
    (logits >= experts ? peak.logits_and_sampler : peak.moe_workspace) = beside_hidden;
  }
  peak.floor = std::max(Bytes{}, memory.activation_floor - peak.total());
  return peak;
}

Bytes allocator_rounding(const models::Transformer& model, const models::WeightFormat& format,
                         int tensor_parallel, const models::Stage& stage) {
  const auto plain = bits(model.dtype) / 8.0;
  Bytes lost;
  for (const auto& gemm : models::layer_gemms(model, tensor_parallel)) {
    // Layers of one kind are spread evenly over the stages.
    const auto layers = static_cast<double>(gemm.count * stage.layers / model.layers);
    const bool shrinks = gemm.quantised && !format.experts_only;
    const auto per_weight = shrinks ? format.bits_per_weight / 8 : plain;
    lost += layers * rounding_of(static_cast<double>(gemm.n * gemm.k) * per_weight);
  }
  if (model.encoder) return lost;
  const auto head = models::head_gemm(model, tensor_parallel);
  const auto table = rounding_of(static_cast<double>(head.n * head.k) * bits(model.dtype) / 8);
  if (stage.first) lost += table;
  if (stage.last && !(stage.first && model.tied_embeddings)) lost += table;
  return lost;
}

}  // namespace gpucap::perf
