#pragma once

#include "gpucap/training/memory.hpp"

namespace gpucap::training {

/// What of a transformer's footprint is assumed or was never compared with a measurement.
void add_memory_notes(Footprint& footprint, const Question& question,
                      const models::Transformer& model);

}  // namespace gpucap::training
