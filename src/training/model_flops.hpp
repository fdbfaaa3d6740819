#pragma once

#include "gpucap/models/transformer.hpp"
#include "gpucap/training/question.hpp"
#include "gpucap/units/quantity.hpp"

namespace gpucap::training {

/// FLOPs of one token in all layers and the head, as papers count them.
struct TokenFlops {
  Flops model;     ///< forward and backward; causal attention counted once, not its square
  Flops hardware;  ///< with what recomputation repeats
};

/// All weights train: 6 per weight that multiplies and 3 times the forward attention (2 L q s when
/// causal). Frozen weights 4, adapters 6. Full recomputation adds the forward pass of the layers.
TokenFlops token_flops(const Question& question, const models::Transformer& model);

}  // namespace gpucap::training
