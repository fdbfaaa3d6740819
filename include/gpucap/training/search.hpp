#pragma once

#include "gpucap/training/memory.hpp"
#include "gpucap/training/question.hpp"
#include "gpucap/training/step.hpp"

#include <cstdint>
#include <optional>

namespace gpucap::training {

/// A layout that was weighed and timed.
struct LaidOut {
  Question question;
  Footprint footprint;
  StepTime step;
};

struct SearchResult {
  std::int64_t tried = 0;  ///< layouts with their batches that can be laid out at all
  std::int64_t fit = 0;
  std::optional<LaidOut> fastest;   ///< shortest step on all cards
  std::optional<LaidOut> cheapest;  ///< fewest card-seconds per step, on all machines or fewer
  std::optional<LaidOut> nearest;   ///< where nothing fits: the one that lacks least
};

/// Samples of one optimiser step over all data-parallel ranks.
std::int64_t global_batch(const Question& question);

/// Tries every layout over the cards of the question for a global batch of so many samples: tensor
/// parallelism within a machine, pipeline stages plain and interleaved, context and expert
/// parallelism, ZeRO 0 to 3, micro-batches of powers of two, the question's recompute and stronger
/// ones. Everything else stays. Where the cards fill several machines, halves of them are tried for
/// `cheapest` too. Of equals the first in this order wins, so the answer does not depend on chance.
SearchResult search_layouts(const Question& question, std::int64_t global_batch);

}  // namespace gpucap::training
