#pragma once

#include "gpucap/training/question.hpp"
#include "gpucap/units/quantity.hpp"

#include "rank_parameters.hpp"

namespace gpucap::training {

/// Weights that ZeRO-3 or parameter offload holds whole for the moment: two layers (one computes,
/// the next arrives), embedding and head, and what the software leaves alive besides.
Bytes gathered_weights(const Question& question, const models::Stage& stage,
                       const RankParameters& count);

/// 16-bit copies of fp32 weights that autocast keeps through a forward pass.
Bytes narrowed_weights(const Question& question, const RankParameters& count);

/// The largest 4-bit matrix, widened for its product.
Bytes widened_matrix(const Question& question, const RankParameters& count);

}  // namespace gpucap::training
