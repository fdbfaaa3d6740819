#pragma once

#include "gpucap/models/transformer.hpp"
#include "gpucap/training/question.hpp"
#include "gpucap/units/quantity.hpp"

namespace gpucap::training {

/// Bytes per token that fused element-wise kernels move, on one rank.
struct StreamBytes {
  Bytes forward, backward;
};

/// Norms and residual sums, rotation of queries and keys, activation of one layer. In 16 bits with
/// a gate: 12 h + 3 (q + 2 k) + 6 f forward, 16 h + 3 (q + 2 k) + 14 f backward; without a gate
/// 4 f and 8 f. Routed copies of a token are read and written once each way.
StreamBytes layer_streams(const models::Transformer& model, const Question& question, bool sparse);

/// Logits: 2 V forward, 4 V backward in 16 bits.
StreamBytes head_streams(const models::Transformer& model, const Question& question);

}  // namespace gpucap::training
