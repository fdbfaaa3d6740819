#include "rank_weights.hpp"

#include "rank_parameters.hpp"

namespace gpucap::training {

RankWeights rank_weights(const Question& question, const models::Transformer& model,
                         const models::Stage& stage) {
  const RankParameters count =
      rank_parameters(model, stage, question.layout, question.settings.adapters);
  RankWeights weights;
  weights.experts = count.expert_matrices;
  weights.dense = count.base() - count.expert_matrices;
  weights.linear = count.matrices - count.expert_matrices;
  if (question.settings.method != Method::full) {
    weights.adapters = count.adapters + count.copied_tables;
  }
  return weights;
}

double quantised_bytes(const QuantisedBase& base) {
  // NF4 with an fp32 scale per 64; quantised again: 8 bits each, an fp32 scale per 256 of those.
  const double scale = base.double_quantisation ? 1.0 / 64 + 4.0 / (64 * 256) : 4.0 / 64;
  return 0.5 + scale;
}

}  // namespace gpucap::training
