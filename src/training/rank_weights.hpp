#pragma once

#include "gpucap/models/transformer.hpp"
#include "gpucap/training/question.hpp"

namespace gpucap::training {

/// Numbers that one rank of a stage holds before ZeRO shards them.
struct RankWeights {
  double dense = 0;     ///< all but routed experts
  double experts = 0;   ///< of the routed experts that stand on this rank
  double linear = 0;    ///< of `dense`: in matrices that a 4-bit base shrinks
  double adapters = 0;  ///< adapters and trained copies of embedding and head

  /// Numbers with gradients: all, or adapters alone.
  [[nodiscard]] double trained(Method method) const {
    return method == Method::full ? dense + experts : adapters;
  }
};

RankWeights rank_weights(const Question& question, const models::Transformer& model,
                         const models::Stage& stage);

/// Bytes of a number of the 4-bit base with its scales.
double quantised_bytes(const QuantisedBase& base);

}  // namespace gpucap::training
