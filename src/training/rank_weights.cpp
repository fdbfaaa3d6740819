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
  weights.matrices = count.matrices;
  if (question.settings.method != Method::full) {
    weights.adapters = count.adapters + count.copied_tables;
    weights.expert_adapters = count.expert_adapters;
  }
  return weights;
}

}  // namespace gpucap::training
