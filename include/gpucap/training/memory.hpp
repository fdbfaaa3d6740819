#pragma once

#include "gpucap/training/question.hpp"
#include "gpucap/units/quantity.hpp"

#include <string>
#include <utility>
#include <vector>

namespace gpucap::training {

/// Memory of the fullest rank. It fits when context and allocated peak do: what an allocator holds
/// beyond its peak it gives back before a program fails. weights + gradients + optimizer +
/// activations + other + free is what a program sees of the card; free is below zero by what is
/// missing. `activations` is what the fuller of the two phases adds (forward and backward, or the
/// update of the weights).
struct Footprint {
  bool feasible = false;
  std::string reason;  ///< why not, in one sentence; empty when feasible
  Bytes weights, gradients, optimizer, activations, other, free;
  Bytes peak_allocated;  ///< by tensors; what frameworks call allocated
  Bytes peak_reserved;   ///< with what the caching allocator holds beyond it while there is room;
                         ///< neither counts the context
  Bytes load_peak;       ///< on one card while the model is loaded and sharded
  Bytes host;            ///< pinned or resident in host memory, whole node
  Bytes checkpoint;      ///< a saved state of the whole job, to resume from
  std::vector<std::pair<std::string, Bytes>> terms;  ///< named parts of the above
  std::vector<std::string> notes;                    ///< what is assumed or not validated
};

/// The terms and their evidence: docs/models/training-memory.md. Never throws for a combination
/// that cannot be laid out: that is infeasible with layout_problem's reason.
Footprint training_footprint(const Question& question);

}  // namespace gpucap::training
