#include "attention_pass.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "kernel_sum.hpp"

namespace gpucap::training {
namespace {

using perf::Work;

/// Query tokens of this rank, and the cached tokens that give its share of the pairs. The token at
/// position i of s sees i, or min(i, window); ranks of context parallelism have equal sums.
perf::Chunk chunk_of(const Question& question, bool causal, std::int64_t window) {
  const std::int64_t s = question.settings.seq_len;
  const std::int64_t q = s / question.layout.context;
  if (!causal) return {q, s};
  const auto tokens = static_cast<double>(s);
  const double ramp = window > 0 ? std::min(tokens, static_cast<double>(window)) : tokens;
  const double pairs = (ramp * (ramp + 1) / 2 + (tokens - ramp) * ramp) / question.layout.context;
  const auto rows = static_cast<double>(q);
  return {q, std::llround((pairs + rows * (rows - 1) / 2) / rows)};
}

double attention_factor(const Question& question) {
  const Software::Time& time = question.software.time;
  const auto own = time.attention_on.find(question.node.gpu.architecture);
  return own == time.attention_on.end() ? time.attention : own->second;
}

AttentionPass flash(const Question& question, const perf::AttentionShape& shape,
                    const perf::Chunk& chunk) {
  const perf::Calibration& fits = question.calibration;
  const Software::Time& time = question.software.time;
  const Dtype dtype = question.settings.arithmetic;
  const perf::Card card = card_for(question, dtype == Dtype::fp8 ? Dtype::bf16 : dtype);
  const std::vector<perf::Chunk> sequences(static_cast<std::size_t>(question.settings.micro_batch),
                                           chunk);
  AttentionPass pass;
  pass.forward = perf::prefill_attention(fits.prefill, card, shape, sequences)
                     .slowed(attention_factor(question) * fits.prefill_origin.factor);
  constexpr double backward_flops = 2.5;  // five products for the forward pass's two
  const double offset =
      time.attention_backward_tokens / static_cast<double>(question.settings.seq_len);
  pass.backward = pass.forward.times(backward_flops).slowed(1 + offset);
  return pass;
}

/// Numbers and masks (1 byte) that pass through memory for each score. Forward: written, scaled,
/// normalised, dropped (read, write each; mask), read. Backward the same way round.
constexpr double forward_numbers = 8, backward_numbers = 11, masks = 1;

AttentionPass unfused(const Question& question, const Products& products,
                      const perf::AttentionShape& shape) {
  const Settings& settings = question.settings;
  const std::int64_t s = settings.seq_len;
  const std::int64_t rows = settings.micro_batch * shape.heads * (s / question.layout.context);
  const double scores = static_cast<double>(rows) * static_cast<double>(s);
  const double width = activation_bytes(settings);
  const Bandwidth rate = question.node.gpu.memory_bandwidth / question.software.time.streams;
  const auto traffic = [&](double numbers) {
    return streamed((numbers * width + masks) * scores * unit::byte, rate);
  };
  const Work over_scores = products.arithmetic(rows, s, shape.qk_dim);
  const Work into_values = products.arithmetic(rows, shape.v_dim, s);
  AttentionPass pass;
  pass.forward = over_scores;
  pass.forward += into_values;
  pass.backward = pass.forward.times(2);
  pass.forward += traffic(forward_numbers);
  pass.backward += traffic(backward_numbers);
  return pass;
}

}  // namespace

perf::AttentionShape training_attention(const models::Transformer& model, int tensor) {
  perf::AttentionShape shape;
  shape.heads = model.heads / tensor;
  shape.kv_heads = models::kv_heads_on_rank(model, tensor);
  shape.qk_dim = shape.v_dim = model.head_dim;
  shape.causal = !model.encoder;
  if (model.latent) {
    shape.kv_heads = shape.heads;
    shape.qk_dim = model.latent->qk_nope + model.latent->qk_rope;
    shape.v_dim = model.latent->v_head;
  }
  constexpr double bytes = 2;
  shape.kv_bytes_per_token =
      bytes * static_cast<double>(shape.kv_heads * (shape.qk_dim + shape.v_dim));
  return shape;
}

AttentionPass attention_pass(const Question& question, const Products& products,
                             const models::Transformer& model, std::int64_t window) {
  const perf::AttentionShape shape = training_attention(model, question.layout.tensor);
  if (question.settings.attention == AttentionKernel::unfused) {
    return unfused(question, products, shape);
  }
  return flash(question, shape, chunk_of(question, shape.causal, window));
}

}  // namespace gpucap::training
