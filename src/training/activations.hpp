#pragma once

#include "gpucap/training/question.hpp"
#include "gpucap/units/quantity.hpp"

#include <algorithm>

#include "rank_parameters.hpp"

namespace gpucap::training {

/// What forward and backward passes of one stage keep on one rank.
struct Activations {
  Bytes kept;         ///< of all micro-batches in flight, from forward to backward
  Bytes layer;        ///< of the one layer that is computed again
  Bytes temporary;    ///< gradients inside the layer whose backward pass runs
  Bytes logits;       ///< at the peak of the loss; last stage only
  Bytes kept_logits;  ///< of them alive while the layers' backward passes run

  /// The loss and the layers' backward passes exclude each other.
  [[nodiscard]] Bytes peak() const { return kept + std::max(logits, backward()); }
  [[nodiscard]] Bytes backward() const { return kept_logits + layer + temporary; }
};

/// `stage_index` counts from 0; the first stages of a pipeline hold the most micro-batches.
Activations activations(const Question& question, const models::Transformer& model,
                        const models::Stage& stage, int stage_index, const RankParameters& count);

/// Whole micro-batches of a stage whose activations a rank holds at once: 1F1B, or interleaved
/// chunks of layers counted as shares of a micro-batch.
double resident_micro_batches(const Layout& layout, std::int64_t grad_accum, int stage_index);

}  // namespace gpucap::training
