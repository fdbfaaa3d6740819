#pragma once

#include "gpucap/training/memory.hpp"
#include "gpucap/training/question.hpp"
#include "gpucap/units/quantity.hpp"

#include <optional>
#include <string>
#include <vector>

namespace gpucap::training {

/// A change of settings or layout that leaves what is learned the same up to rounding, but takes
/// less memory of the card.
struct Cure {
  std::string what;  ///< "recompute full", "optimizer adamw-8bit", "zero 3", joined by " + "
  Settings settings;
  Layout layout;
  Bytes saved;   ///< of the allocated peak
  Seconds step;  ///< time of a step with it
  Seconds lost;  ///< by which a step takes longer; below zero: it is faster
  bool fits = false;
};

struct Cures {
  /// One change each, the least time lost per step first; only those that save.
  std::vector<Cure> single;
  /// The combination that fits with the shortest step, of equals the fewest changes; absent when
  /// nothing fits, and when the question fits as it is.
  std::optional<Cure> cheapest;
};

/// Tries recompute, the 8-bit optimiser on the card and paged, sharding over data-parallel ranks,
/// offload, and smaller micro-batches for the same batch. The layout must have no problem.
Cures find_cures(const Question& question);

}  // namespace gpucap::training
