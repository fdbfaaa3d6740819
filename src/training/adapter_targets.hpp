#pragma once

#include "gpucap/models/transformer.hpp"
#include "gpucap/training/settings.hpp"

#include <cstdint>
#include <vector>

namespace gpucap::training {

/// A matrix with an adapter beside it, as one rank holds it.
struct AdapterTarget {
  std::int64_t in = 0, out = 0;
  std::int64_t count = 0;  ///< layers
};

/// The targets among the matrices of a stage. Routed experts have none.
std::vector<AdapterTarget> adapter_targets(const models::Transformer& model,
                                           const models::Stage& stage, int tensor,
                                           Adapters::Targets targets);

}  // namespace gpucap::training
