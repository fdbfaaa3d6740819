#pragma once

#include "gpucap/training/memory.hpp"

namespace gpucap::training {

/// Fills `free`, `feasible` and `reason` from the parts, and says how close to the limit it is.
/// Convolution nets end here as well.
void judge(Footprint& footprint, const Question& question);

}  // namespace gpucap::training
