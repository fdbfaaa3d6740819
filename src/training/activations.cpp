#include "activations.hpp"

namespace gpucap::training {
namespace {

/// Bytes per token of one layer: what tensor parallelism cuts, and what only sequence parallelism
/// cuts besides.
struct PerToken {
  double cut = 0, whole = 0;

  [[nodiscard]] double on_rank(const Layout& layout) const {
    const bool all = layout.tensor > 1 && layout.sequence_parallel;
    return cut / layout.tensor + whole / (all ? layout.tensor : 1);
  }
};

/// The formulas' symbols for one model and job.
struct Shape {
  const models::Transformer& model;
  const Settings& settings;
  const Software::Memory& software;
  double h, a, q, k, v;
  double number;  ///< bytes of a number that is kept

  [[nodiscard]] bool fused() const { return software.fused_activations; }
  [[nodiscard]] bool trained() const { return settings.method == Method::full; }
};

Shape shape_of(const Question& question, const models::Transformer& model) {
  const auto heads = static_cast<double>(model.heads);
  const auto head = static_cast<double>(model.head_dim);
  const auto kv = static_cast<double>(model.kv_heads) * head;
  const auto arithmetic = question.settings.arithmetic;
  const bool wide = arithmetic == Dtype::fp32 || arithmetic == Dtype::tf32;
  Shape shape{model,
              question.settings,
              question.software.memory,
              static_cast<double>(model.hidden),
              heads,
              heads * head,
              kv,
              kv,
              wide ? 4.0 : 2.0};
  if (!model.latent) return shape;
  const auto& latent = *model.latent;
  shape.q = shape.k = heads * static_cast<double>(latent.qk_nope + latent.qk_rope);
  shape.v = heads * static_cast<double>(latent.v_head);
  return shape;
}

/// Scores, softmax and dropout mask of attention that writes them out, per query token.
double scores(const Shape& s) {
  const double wide = s.number / 2;
  return s.software.score_bytes * wide * s.a * static_cast<double>(s.settings.seq_len);
}

bool keeps_scores(const Shape& s) {
  return s.settings.attention == AttentionKernel::unfused &&
         s.settings.recompute == Recompute::none;
}

PerToken attention(const Shape& s) {
  PerToken bytes;
  const double output = s.model.latent ? s.v : s.q;
  bytes.cut = s.number * (s.q + s.k + s.v + output) + 4 * s.a;
  const bool rotated = !s.model.learned_positions && !s.model.encoder;
  if (!s.fused() && rotated) bytes.cut += s.number * (s.q + s.k);
  if (s.model.latent) {
    const auto& latent = *s.model.latent;  // before and after their norms, whole on every rank
    bytes.whole +=
        2 * s.number * static_cast<double>(latent.q_lora + latent.kv_lora + latent.qk_rope);
  }
  return bytes;
}

/// Convolution input and output, values and gate of a gated delta rule layer.
PerToken recurrent(const Shape& s) {
  if (!s.model.recurrent) return {};
  const auto& r = *s.model.recurrent;
  const auto keys = static_cast<double>(r.key_heads * r.key_head_dim);
  const auto values = static_cast<double>(r.value_heads * r.value_head_dim);
  return {s.number * (2 * (2 * keys + values) + 3 * values), 0};
}

/// Inputs and outputs of both norms, and what stands on the residual path.
PerToken residual(const Shape& s) {
  const bool plain_norm = s.fused() || s.model.norm_bias;  // LayerNorm is one kernel everywhere
  double tensors = s.trained() ? 4 : 2;
  if (!plain_norm) tensors = s.trained() ? 8 : 4;  // RMSNorm in fp32, operation by operation
  if (!s.fused() && s.trained()) tensors += 1;
  const double statistics = 8;
  const double masks = s.model.linear_bias ? 2 * s.h : 0;  // GPT-2's and BERT's dropout
  return {0, tensors * s.number * s.h + masks + statistics};
}

/// Numbers per MLP column that are kept.
double kept_per_column(const Shape& s) {
  if (!s.model.gated_mlp) return s.trained() ? 2 : 1;
  if (s.fused()) return s.trained() ? 3 : 2;
  return s.trained() ? 4 : 3;
}

double columns(const models::Transformer& model, bool sparse) {
  if (!sparse) return static_cast<double>(model.ffn);
  const auto& e = *model.experts;
  return static_cast<double>(e.per_token * e.ffn + e.shared_ffn);
}

PerToken mlp(const Shape& s, bool sparse) {
  PerToken bytes{s.number * kept_per_column(s) * columns(s.model, sparse), 0};
  if (!sparse) return bytes;
  const auto& e = *s.model.experts;
  // Copies sorted by expert on the way in and out; router logits and shares in fp32.
  bytes.whole =
      2 * s.number * s.h * static_cast<double>(e.per_token) + 8 * static_cast<double>(e.routed);
  return bytes;
}

/// Inputs that adapters keep, with a mask and a copy where they drop out, and those that frozen
/// 4-bit layers keep; of the whole stage, already cut.
double adapter_inputs(const Shape& s, const RankParameters& count) {
  if (s.trained()) return 0;
  double bytes = (s.number + (s.settings.adapters.dropout ? 1 : 0)) * count.adapter_inputs;
  const bool again = s.settings.method == Method::qlora && s.software.quantised_inputs;
  if (again) bytes += s.number * count.quantised_inputs;
  return bytes;
}

/// Bytes per token on one rank, without attention scores.
struct Kept {
  double stage = 0;  ///< all layers of the stage
  double layer = 0;  ///< the largest one
  double input = 0;  ///< of one layer
};

Kept kept_per_token(const Shape& s, const Layout& layout, const models::Stage& stage,
                    const RankParameters& count) {
  const double around = residual(s).on_rank(layout);
  const double attends = attention(s).on_rank(layout);
  const double recurs = recurrent(s).on_rank(layout);
  const double dense = stage.dense > 0 ? mlp(s, false).on_rank(layout) : 0;
  const double sparse = stage.sparse > 0 ? mlp(s, true).on_rank(layout) : 0;
  const auto layers = static_cast<double>(stage.layers);
  const double adapters = adapter_inputs(s, count);
  Kept kept;
  kept.stage = layers * around + static_cast<double>(stage.attending) * attends +
               static_cast<double>(stage.recurrent) * recurs +
               static_cast<double>(stage.dense) * dense +
               static_cast<double>(stage.sparse) * sparse + adapters;
  kept.layer = around + std::max(stage.attending > 0 ? attends : 0, recurs) +
               std::max(dense, sparse) + adapters / layers;
  kept.input = PerToken{0, s.number * s.h}.on_rank(layout);
  return kept;
}

void add_logits(Activations& out, const Question& question, const models::Transformer& model,
                const models::Stage& stage, double tokens) {
  if (!stage.last || model.encoder) return;
  const auto vocab = (model.vocab + question.layout.tensor - 1) / question.layout.tensor;
  const double logits = tokens * static_cast<double>(vocab);
  out.logits = logits * question.software.memory.bytes_per_logit * unit::byte;
  out.kept_logits = logits * question.software.memory.kept_bytes_per_logit * unit::byte;
}

}  // namespace

double resident_micro_batches(const Layout& layout, std::int64_t grad_accum, int stage_index) {
  const auto all = static_cast<double>(grad_accum);
  const double later = layout.pipeline - 1 - stage_index;
  if (layout.interleave == 1) return std::min(later + 1, all);
  const double chunks = 2 * later + (layout.interleave - 1) * layout.pipeline + 1;
  return std::min(chunks, all * layout.interleave) / layout.interleave;
}

Activations activations(const Question& question, const models::Transformer& model,
                        const models::Stage& stage, int stage_index, const RankParameters& count) {
  const auto& layout = question.layout;
  const auto& settings = question.settings;
  const auto s = shape_of(question, model);
  const double tokens =
      static_cast<double>(settings.micro_batch * settings.seq_len) / layout.context;
  const double in_flight = resident_micro_batches(layout, settings.grad_accum, stage_index);
  const auto kept = kept_per_token(s, layout, stage, count);
  const bool unfused = settings.attention == AttentionKernel::unfused && stage.attending > 0;
  const double layer_scores = unfused ? scores(s) / layout.tensor : 0;
  const bool again = settings.recompute == Recompute::full;
  double per_token = again ? static_cast<double>(stage.layers) * kept.input : kept.stage;
  if (keeps_scores(s)) per_token += static_cast<double>(stage.attending) * layer_scores;

  Activations out;
  out.kept = per_token * tokens * in_flight * unit::byte;
  // The input of the layer that is computed again is among the kept ones.
  if (again) out.layer = (kept.layer - kept.input + layer_scores) * tokens * unit::byte;
  if (settings.recompute == Recompute::selective) out.layer = layer_scores * tokens * unit::byte;
  const double widest = std::max(stage.dense > 0 ? columns(model, false) : 0,
                                 stage.sparse > 0 ? columns(model, true) : 0);
  const double inner = (model.gated_mlp ? 3 : 2) * s.number * widest / layout.tensor;
  out.temporary = inner * tokens * unit::byte;
  add_logits(out, question, model, stage, tokens);
  return out;
}

}  // namespace gpucap::training
