#include "gpucap/perf/layer_work.hpp"

#include "gpucap/perf/decode_work.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "attention.hpp"
#include "layer_shapes.hpp"

namespace gpucap::perf {
namespace {

/// Fused experts at the fractions of the weights' format: what that changes for plain products it
/// changes here; widening the weights speeds up no arithmetic.
std::optional<ExpertFit> expert_fit(const Calibration& calibration, const FormatFit* format,
                                    bool widens) {
  if (!calibration.experts || format == nullptr) return calibration.experts;
  ExpertFit fit = *calibration.experts;
  const double plain = std::min(calibration.gemm.ec, calibration.sustained.share);
  const double faster = format->product.ec / plain;
  fit.product.ec *= widens ? std::min(1.0, faster) : faster;
  fit.product.eb *= format->product.eb / calibration.gemm.eb;
  return fit;
}

Card card_for(const StepCostInputs& in, Dtype dtype) {
  return {in.gpu->peak(dtype), in.gpu->memory_bandwidth, in.gpu->sm_count,
          in.calibration->sustained.share};
}

/// What decodes of a latent can compute: at the rate of prefill attention.
Card decode_card(const Calibration& calibration, Card card) {
  card.peak = std::min(calibration.prefill.ec, card.sustained) * card.peak;
  return card;
}

}  // namespace

LayerWork::LayerWork(const StepCostInputs& in)
    : model_(in.model),
      calibration_(in.calibration),
      format_(format_fit(*in.calibration, in.weights.kernels)),
      experts_(expert_fit(*in.calibration, format_, models::widens_weights(in.weights.kernels))),
      weights_(in.weights),
      tensor_parallel_(in.tensor_parallel),
      stage_(in.stage ? *in.stage : models::pipeline_stages(*in.model, 1).front()),
      expert_parallel_(in.expert_parallel),
      all_reduce_(in.all_reduce),
      all_gather_(in.all_gather ? in.all_gather : in.all_reduce),
      send_recv_(in.send_recv),
      matrix_card_(card_for(in, in.weights.compute)),
      attention_card_(card_for(in, in.model->dtype)),
      decode_card_(decode_card(*in.calibration, attention_card_)),
      attention_(attention_shape(*in.model, in.kv_dtype, in.tensor_parallel)),
      prefill_(prefill_shape(*in.model, attention_)),
      head_(compiled_head()),
      streams_(streams()) {
  for (const models::Gemm& one : models::layer_gemms(*model_, stage_, tensor_parallel_)) {
    if (model_->latent && one.name == "kv_b") latent_up_ = products_.size();
    products_.push_back(compiled(one));
  }
  mixed_launch_ = in.engine->mixed_attention_launch && calibration_->mixed.has_value() &&
                  !model_->latent.has_value();
  if (tensor_parallel_ > 1 && !all_reduce_) {
    throw std::invalid_argument("tensor parallel without the cost of an all-reduce");
  }
  if (!stage_.last && !send_recv_) {
    throw std::invalid_argument("pipeline stages without the cost of a copy between them");
  }
}

Work LayerWork::tokens(std::int64_t padded_tokens) const {
  Work work = products(padded_tokens);
  work += experts(padded_tokens);
  work += streaming(padded_tokens);
  work += reductions(padded_tokens);
  work += handover(padded_tokens);
  return work;
}

/// Where the format leaves a product alone it runs in the model's own 16 bits.
LayerWork::Product LayerWork::compiled(const models::Gemm& product) const {
  const bool formatted = product.quantised && !weights_.experts_only;
  return {FormattedGemmCost(*calibration_, formatted ? matrix_card_ : attention_card_,
                            formatted ? weights_ : models::WeightFormat{}, product.n, product.k),
          static_cast<double>(product.count)};
}

GemmCost LayerWork::compiled_head() const {
  const models::Gemm head = models::head_gemm(*model_, tensor_parallel_);
  const double weight_bytes = weights_.head_bits.value_or(8 * activation_bytes) / 8;
  return {calibration_->gemm, attention_card_, {1, head.n, head.k, weight_bytes, activation_bytes}};
}

std::vector<LayerWork::Stream> LayerWork::streams() const {
  std::vector<Stream> all;
  for (const ElementwiseKernel& kernel : calibration_->elementwise.kernels) {
    const double width = width_of(*model_, kernel.width, tensor_parallel_);
    if (width == 0) continue;
    all.push_back({kernel.passes, width, kernel.per_layer * static_cast<double>(stage_.layers)});
  }
  return all;
}

Work LayerWork::products(std::int64_t tokens) const {
  Work work;
  for (const Product& one : products_) work += one.cost(tokens).times(one.count);
  return work;
}

Work LayerWork::experts(std::int64_t tokens) const {
  if (!model_->experts) return {};
  const models::Experts& moe = *model_->experts;
  ExpertShape shape{tokens,     model_->hidden, moe.ffn / tensor_parallel_,
                    moe.routed, moe.per_token,  models::bytes_per_weight(weights_)};
  if (expert_parallel_) {
    shape.ffn = moe.ffn;
    shape.share = 1.0 / tensor_parallel_;
  }
  return expert_layer(shape).times(static_cast<double>(stage_.sparse));
}

/// Without a fit of the fused layer: one product over all touched experts, and two launches.
Work LayerWork::expert_layer(const ExpertShape& shape) const {
  if (experts_) {
    return routed_experts(*experts_, matrix_card_, shape).slowed(experts_->origin.factor);
  }
  const auto rows = static_cast<double>(shape.tokens * shape.per_token) * shape.share;
  const double touched = experts_touched(shape);
  GemmShape all{std::max<std::int64_t>(1, std::llround(rows)), 3 * shape.ffn, shape.hidden,
                shape.weight_bytes * touched, activation_bytes};
  Work work = gemm(calibration_->gemm, matrix_card_, all);
  work.by_cause[static_cast<std::size_t>(Cause::memory_bandwidth)] += calibration_->gemm.t0;
  return work.slowed(calibration_->gemm_origin.factor);
}

Work LayerWork::streaming(std::int64_t tokens) const {
  Work work;
  for (const Stream& kernel : streams_) {
    const Bytes moved =
        kernel.passes * static_cast<double>(tokens) * kernel.width * activation_bytes * unit::byte;
    work += elementwise(calibration_->elementwise.t0, attention_card_, moved).times(kernel.count);
  }
  return work.slowed(calibration_->elementwise_origin.factor);
}

Work LayerWork::reductions(std::int64_t tokens) const {
  if (tensor_parallel_ == 1) return {};
  const Bytes hidden = static_cast<double>(tokens * model_->hidden) * activation_bytes * unit::byte;
  // After the attention output and after the MLP of each layer, and once for the split embedding.
  const std::int64_t embedding = stage_.first ? 1 : 0;
  return all_reduce(*all_reduce_, hidden)
      .times(static_cast<double>(2 * stage_.layers + embedding))
      .slowed(all_reduce_->origin.factor);
}

Work LayerWork::handover(std::int64_t tokens) const {
  if (stage_.last) return {};
  // Hidden state and residual. Every rank sends its slice, the receivers gather them.
  const Bytes both =
      2 * static_cast<double>(tokens * model_->hidden) * activation_bytes * unit::byte;
  Work work = send_recv(*send_recv_, both / tensor_parallel_).slowed(send_recv_->origin.factor);
  if (tensor_parallel_ > 1) {
    work += all_gather(*all_gather_, both).slowed(all_gather_->origin.factor);
  }
  return work;
}

/// The square matrix on the first token of each sequence; the few outputs after it are nothing.
Work LayerWork::classified(std::int64_t sequences) const {
  if (!model_->pooler && model_->classes == 0) return {};
  return gemm(calibration_->gemm, attention_card_,
              {sequences, model_->hidden, model_->hidden, activation_bytes, activation_bytes});
}

Work LayerWork::sampled(std::int64_t sequences) const {
  if (sequences == 0 || !stage_.last) return {};
  if (model_->encoder) return classified(sequences);
  Work work = head_(sequences).slowed(calibration_->gemm_origin.factor);
  work += sampling(calibration_->sampler, sequences).slowed(calibration_->sampler_origin.factor);
  if (tensor_parallel_ > 1) {
    work += all_gather(*all_gather_, static_cast<double>(sequences * model_->vocab) *
                                         activation_bytes * unit::byte)
                .slowed(all_gather_->origin.factor);
  }
  return work;
}

std::int64_t LayerWork::layers_with(bool windowed) const {
  const std::int64_t sliding = model_->sliding_window ? stage_.sliding : 0;
  return windowed ? sliding : stage_.attending - sliding;
}

DecodeAttentionCost LayerWork::decode_attention(std::int64_t n, bool windowed) const {
  DecodeAttentionCost cost =
      perf::decode_attention(calibration_->decode, decode_card_, attention_, n);
  const auto layers = static_cast<double>(layers_with(windowed));
  const double slow = calibration_->decode_origin.factor;
  cost.fixed = cost.fixed * layers * slow;
  cost.per_sum_token = cost.per_sum_token * layers * slow;
  cost.per_max_token = cost.per_max_token * layers * slow;
  cost.flops_per_token *= layers;
  cost.bytes_per_token *= layers;
  return cost;
}

Work LayerWork::attention_layer(const SeenChunks& chunks, const Decodes& decodes) const {
  if (decodes.count == 0) {
    return prefill_attention(calibration_->prefill, attention_card_, prefill_, chunks)
        .slowed(calibration_->prefill_origin.factor);
  }
  if (mixed_launch_) {
    return mixed_attention(*calibration_, attention_card_, attention_, chunks, decodes)
        .slowed(calibration_->mixed_origin.factor);
  }
  Work work = prefill_attention(calibration_->prefill, attention_card_, prefill_, chunks)
                  .slowed(calibration_->prefill_origin.factor);
  const DecodeAttentionCost cost =
      perf::decode_attention(calibration_->decode, decode_card_, attention_, decodes.count);
  work += decode_work(cost, decodes).slowed(calibration_->decode_origin.factor);
  return work;
}

/// Cached latents that a later piece of a prompt looks at are projected up again for it.
Work LayerWork::latent_context(std::span<const Chunk> chunks) const {
  if (!latent_up_) return {};
  std::int64_t cached = 0;
  for (const Chunk& chunk : chunks) cached += chunk.kv - chunk.q;
  if (cached == 0) return {};
  const Product& up = products_[*latent_up_];
  return up.cost(cached).times(up.count);
}

Work LayerWork::attention(const Batch& batch) const {
  Work work = latent_context(batch.chunks);
  if (const auto full = layers_with(false); full > 0) {
    work +=
        attention_layer({batch.chunks, {}}, {batch.decodes, batch.sum_context, batch.max_context})
            .times(static_cast<double>(full));
  }
  if (const auto sliding = layers_with(true); sliding > 0) {
    work += attention_layer({batch.chunks, model_->sliding_window},
                            {batch.decodes, batch.sum_window, batch.max_window})
                .times(static_cast<double>(sliding));
  }
  return work;
}

}  // namespace gpucap::perf
