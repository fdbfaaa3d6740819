#include "layer_shapes.hpp"

#include <algorithm>
#include <cmath>

namespace gpucap::perf {

AttentionShape attention_shape(const models::Transformer& model, Dtype kv_dtype, int ranks) {
  AttentionShape shape;
  shape.heads = model.heads / ranks;
  shape.kv_heads = models::kv_heads_on_rank(model, ranks);
  shape.qk_dim = shape.v_dim = model.head_dim;
  shape.causal = !model.encoder;
  if (model.latent) {
    shape.qk_dim = model.latent->kv_lora + model.latent->qk_rope;
    shape.v_dim = model.latent->kv_lora;
  }
  shape.kv_bytes_per_token =
      model.encoder
          ? activation_bytes * static_cast<double>(2 * shape.kv_heads * shape.qk_dim)
          : static_cast<double>(models::kv_bytes_per_token_and_layer(model, kv_dtype, ranks));
  return shape;
}

AttentionShape prefill_shape(const models::Transformer& model, const AttentionShape& decode) {
  if (!model.latent) return decode;
  AttentionShape shape = decode;
  shape.kv_heads = shape.heads;
  shape.qk_dim = model.latent->qk_nope + model.latent->qk_rope;
  shape.v_dim = model.latent->v_head;
  shape.kv_bytes_per_token =
      activation_bytes * static_cast<double>(shape.heads * (shape.qk_dim + shape.v_dim));
  return shape;
}

Chunk windowed(const Chunk& chunk, std::int64_t window) {
  const auto q = static_cast<double>(chunk.q);
  const auto sum_to = [&](std::int64_t last) {
    const auto ramp = static_cast<double>(std::min(last, window));
    return ramp * (ramp + 1) / 2 +
           static_cast<double>(std::max<std::int64_t>(0, last - window) * window);
  };
  const double pairs = sum_to(chunk.kv) - sum_to(chunk.kv - chunk.q);
  return {chunk.q, std::llround((pairs + q * (q - 1) / 2) / q)};
}

double width_of(const models::Transformer& model, ElementwiseKernel::Width width, int ranks) {
  const auto head_dim = static_cast<double>(model.head_dim);
  const auto kv_heads = static_cast<double>(models::kv_heads_on_rank(model, ranks));
  switch (width) {
    case ElementwiseKernel::Width::hidden:
      return static_cast<double>(model.hidden);
    case ElementwiseKernel::Width::ffn: {
      // The fused layer of routed experts has its activation inside.
      const auto ffn = model.experts ? model.experts->shared_ffn : model.ffn;
      return static_cast<double>(ffn) / ranks;
    }
    case ElementwiseKernel::Width::query_and_key:
      return head_dim * (static_cast<double>(model.heads) / ranks + kv_heads);
    case ElementwiseKernel::Width::key_and_value:
      return 2 * head_dim * kv_heads;
  }
  return 0;
}

}  // namespace gpucap::perf
