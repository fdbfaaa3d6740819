#include "streams.hpp"

#include "products.hpp"

namespace gpucap::training {
namespace {

/// Width of the MLP that a token passes: of its experts together, where it has some.
double mlp_width(const models::Transformer& model, bool sparse) {
  if (!sparse) return static_cast<double>(model.ffn);
  const models::Experts& experts = *model.experts;
  return static_cast<double>(experts.per_token * experts.ffn + experts.shared_ffn);
}

/// Queries and twice the keys of one token.
double rotated_width(const models::Transformer& model, int tensor) {
  const auto heads = static_cast<double>(model.heads) / tensor;
  if (model.latent) {
    const auto dim = static_cast<double>(model.latent->qk_nope + model.latent->qk_rope);
    return 3 * heads * dim;
  }
  const auto kv_heads = static_cast<double>(models::kv_heads_on_rank(model, tensor));
  return (heads + 2 * kv_heads) * static_cast<double>(model.head_dim);
}

}  // namespace

StreamBytes layer_streams(const models::Transformer& model, const Question& question, bool sparse) {
  const Layout& layout = question.layout;
  const double scale = activation_bytes(question.settings) / 2;
  double hidden = static_cast<double>(model.hidden);
  if (layout.sequence_parallel) hidden /= layout.tensor;
  const double routed = sparse ? static_cast<double>(model.experts->per_token) : 0;
  const double mlp = mlp_width(model, sparse) / layout.tensor;
  const double rotated = rotated_width(model, layout.tensor);
  const bool gated = model.gated_mlp || sparse;
  const double both_ways = 3 * rotated + 8 * routed * hidden;
  return {scale * (12 * hidden + both_ways + (gated ? 6 : 4) * mlp) * unit::byte,
          scale * (16 * hidden + both_ways + (gated ? 14 : 8) * mlp) * unit::byte};
}

StreamBytes head_streams(const models::Transformer& model, const Question& question) {
  const double logits = activation_bytes(question.settings) * static_cast<double>(model.vocab) /
                        question.layout.tensor;
  return {logits * unit::byte, 2 * logits * unit::byte};
}

}  // namespace gpucap::training
