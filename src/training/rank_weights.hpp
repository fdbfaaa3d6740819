#pragma once

#include "gpucap/models/transformer.hpp"
#include "gpucap/training/question.hpp"

namespace gpucap::training {

/// Numbers that one rank of a stage holds before ZeRO shards them.
struct RankWeights {
  double dense = 0;            ///< all but routed experts
  double experts = 0;          ///< of the routed experts that stand on this rank
  double matrices = 0;         ///< of both: in matrices that a 4-bit base shrinks
  double adapters = 0;         ///< adapters and trained copies of embedding and head
  double expert_adapters = 0;  ///< of `adapters`: beside routed experts

  /// Numbers with gradients: all, or adapters alone.
  [[nodiscard]] double trained(Method method) const {
    return method == Method::full ? dense + experts : adapters;
  }
  /// Those of them in routed experts.
  [[nodiscard]] double trained_in_experts(Method method) const {
    return method == Method::full ? experts : expert_adapters;
  }
};

RankWeights rank_weights(const Question& question, const models::Transformer& model,
                         const models::Stage& stage);

}  // namespace gpucap::training
