#include "gpucap/perf/layer_work.hpp"

#include <algorithm>
#include <stdexcept>

namespace gpucap::perf {
namespace {

AttentionShape attention_shape(const models::Transformer& model, Dtype kv_dtype, int ranks) {
  AttentionShape shape;
  shape.heads = model.heads / ranks;
  shape.kv_heads = models::kv_heads_on_rank(model, ranks);
  shape.qk_dim = shape.v_dim = model.head_dim;
  if (model.latent) {
    shape.qk_dim = model.latent->kv_lora + model.latent->qk_rope;
    shape.v_dim = model.latent->kv_lora;
  }
  const auto attending = static_cast<double>(model.layers - model.recurrent_layers);
  shape.kv_bytes_per_token =
      static_cast<double>(models::kv_bytes_per_token(model, kv_dtype, ranks)) / attending;
  return shape;
}

double stored_bytes(const models::WeightFormat& format) {
  return format.bits_per_weight / 8 + format.scale_bytes_per_weight;
}

/// Numbers per token that a streaming kernel passes over, on one rank.
double width_of(const models::Transformer& model, ElementwiseKernel::Width width, int ranks) {
  const auto head_dim = static_cast<double>(model.head_dim);
  const auto kv_heads = static_cast<double>(models::kv_heads_on_rank(model, ranks));
  switch (width) {
    case ElementwiseKernel::Width::hidden:
      return static_cast<double>(model.hidden);
    case ElementwiseKernel::Width::ffn: {
      const bool routed = model.experts.has_value();
      const auto ffn = routed ? model.experts->ffn * model.experts->per_token : model.ffn;
      return static_cast<double>(ffn) / ranks;
    }
    case ElementwiseKernel::Width::query_and_key:
      return head_dim * (static_cast<double>(model.heads) / ranks + kv_heads);
    case ElementwiseKernel::Width::key_and_value:
      return 2 * head_dim * kv_heads;
  }
  return 0;
}

Card card_for(const StepCostInputs& in, Dtype dtype) {
  return {in.gpu->peak(dtype), in.gpu->memory_bandwidth, in.gpu->sm_count,
          in.calibration->sustained.share};
}

constexpr double activation_bytes = 2;  // activations stay in 16 bits whatever the weights are

}  // namespace

LayerWork::LayerWork(const StepCostInputs& in)
    : model_(in.model),
      calibration_(in.calibration),
      weights_(in.weights),
      tensor_parallel_(in.tensor_parallel),
      all_reduce_(in.all_reduce),
      matrix_card_(card_for(in, in.weights.compute)),
      attention_card_(card_for(in, in.model->dtype)),
      attention_(attention_shape(*in.model, in.kv_dtype, in.tensor_parallel)),
      gemms_(models::layer_gemms(*in.model, in.tensor_parallel)),
      head_(models::head_gemm(*in.model, in.tensor_parallel)) {
  mixed_launch_ = in.engine->mixed_attention_launch && calibration_->mixed.has_value() &&
                  !model_->latent.has_value();
  if (tensor_parallel_ > 1 && !all_reduce_) {
    throw std::invalid_argument("tensor parallel without the cost of an all-reduce");
  }
}

Work LayerWork::tokens(std::int64_t padded_tokens) const {
  Work work = products(padded_tokens);
  work += experts(padded_tokens);
  work += streaming(padded_tokens);
  work += reductions(padded_tokens);
  return work;
}

Work LayerWork::products(std::int64_t tokens) const {
  Work work;
  for (const models::Gemm& product : gemms_) {
    const bool quantised = product.role != models::Gemm::Role::router;
    const GemmShape shape{tokens, product.n, product.k,
                          quantised ? stored_bytes(weights_) : activation_bytes, activation_bytes};
    const Card& card = quantised ? matrix_card_ : attention_card_;
    work += gemm(calibration_->gemm, card, shape).times(static_cast<double>(product.count));
  }
  return work.slowed(calibration_->gemm_origin.factor);
}

Work LayerWork::experts(std::int64_t tokens) const {
  if (!model_->experts) return {};
  const models::Experts& moe = *model_->experts;
  const ExpertShape shape{tokens,     model_->hidden, moe.ffn / tensor_parallel_,
                          moe.routed, moe.per_token,  stored_bytes(weights_)};
  return routed_experts(calibration_->gemm, matrix_card_, shape)
      .times(static_cast<double>(model_->layers - moe.dense_layers))
      .slowed(calibration_->gemm_origin.factor);
}

Work LayerWork::streaming(std::int64_t tokens) const {
  Work work;
  for (const ElementwiseKernel& kernel : calibration_->elementwise.kernels) {
    const double width = width_of(*model_, kernel.width, tensor_parallel_);
    const Bytes moved =
        kernel.passes * static_cast<double>(tokens) * width * activation_bytes * unit::byte;
    work += elementwise(calibration_->elementwise.t0, attention_card_, moved)
                .times(kernel.per_layer * static_cast<double>(model_->layers));
  }
  return work.slowed(calibration_->elementwise_origin.factor);
}

Work LayerWork::reductions(std::int64_t tokens) const {
  if (tensor_parallel_ == 1) return {};
  const Bytes hidden = static_cast<double>(tokens * model_->hidden) * activation_bytes * unit::byte;
  // After the attention output and after the MLP of each layer, and once for the split embedding.
  return all_reduce(*all_reduce_, hidden)
      .times(static_cast<double>(2 * model_->layers + 1))
      .slowed(all_reduce_->origin.factor);
}

Work LayerWork::sampled(std::int64_t sequences) const {
  if (sequences == 0) return {};
  Work work = gemm(calibration_->gemm, attention_card_,
                   {sequences, head_.n, head_.k, activation_bytes, activation_bytes})
                  .slowed(calibration_->gemm_origin.factor);
  work += sampling(calibration_->sampler, sequences).slowed(calibration_->sampler_origin.factor);
  if (tensor_parallel_ > 1) {
    work += all_gather(*all_reduce_, static_cast<double>(sequences * model_->vocab) *
                                         activation_bytes * unit::byte)
                .slowed(all_reduce_->origin.factor);
  }
  return work;
}

std::int64_t LayerWork::layers_with(bool windowed) const {
  const std::int64_t attending = model_->layers - model_->recurrent_layers;
  const std::int64_t sliding = model_->sliding_window ? model_->sliding_layers : 0;
  return windowed ? sliding : attending - sliding;
}

DecodeAttentionCost LayerWork::decode_attention(std::int64_t n, bool windowed) const {
  DecodeAttentionCost cost =
      perf::decode_attention(calibration_->decode, attention_card_, attention_, n);
  const auto layers = static_cast<double>(layers_with(windowed));
  const double slow = calibration_->decode_origin.factor;
  cost.fixed = cost.fixed * layers * slow;
  cost.per_sum_token = cost.per_sum_token * layers * slow;
  cost.per_max_token = cost.per_max_token * layers * slow;
  cost.flops_per_token *= layers;
  cost.bytes_per_token *= layers;
  return cost;
}

Work LayerWork::attention_layer(std::span<const Chunk> chunks, const Decodes& decodes) const {
  if (decodes.count == 0) {
    return prefill_attention(calibration_->prefill, attention_card_, attention_, chunks)
        .slowed(calibration_->prefill_origin.factor);
  }
  if (mixed_launch_) {
    return mixed_attention(*calibration_, attention_card_, attention_, chunks, decodes)
        .slowed(calibration_->mixed_origin.factor);
  }
  Work work = prefill_attention(calibration_->prefill, attention_card_, attention_, chunks)
                  .slowed(calibration_->prefill_origin.factor);
  const DecodeAttentionCost cost =
      perf::decode_attention(calibration_->decode, attention_card_, attention_, decodes.count);
  const auto sum = static_cast<double>(decodes.sum_context);
  work.by_cause[static_cast<std::size_t>(cost.cause)] +=
      (cost.fixed + cost.per_sum_token * sum +
       cost.per_max_token * static_cast<double>(decodes.max_context)) *
      calibration_->decode_origin.factor;
  work.flops += cost.flops_per_token * sum * unit::flop;
  work.bytes += cost.bytes_per_token * sum * unit::byte;
  return work;
}

Work LayerWork::attention(const Batch& batch) const {
  Work work;
  if (const auto full = layers_with(false); full > 0) {
    work += attention_layer(batch.chunks, {batch.decodes, batch.sum_context, batch.max_context})
                .times(static_cast<double>(full));
  }
  if (const auto sliding = layers_with(true); sliding > 0) {
    std::vector<Chunk> cut(batch.chunks.begin(), batch.chunks.end());
    for (Chunk& chunk : cut) chunk.kv = std::min(chunk.kv, *model_->sliding_window + chunk.q);
    work += attention_layer(cut, {batch.decodes, batch.sum_window, batch.max_window})
                .times(static_cast<double>(sliding));
  }
  return work;
}

}  // namespace gpucap::perf
