#pragma once

#include "gpucap/training/question.hpp"

namespace gpucap::training {

/// Numbers that one rank holds before data-parallel ranks share them: cut by tensor and expert
/// parallelism, of one pipeline stage.
struct RankParameters {
  double matrices = 0;          ///< that a 4-bit base shrinks, routed experts included
  double expert_matrices = 0;   ///< of `matrices`: in routed experts
  double tables = 0;            ///< embedding and head
  double other = 0;             ///< norms, biases, positions, routers
  double adapters = 0;          ///< two low-rank matrices beside each target
  double copied_tables = 0;     ///< embedding and head trained as full copies beside adapters
  double adapter_inputs = 0;    ///< per token: inputs of all adapters, chosen experts only
  double quantised_inputs = 0;  ///< per token: distinct inputs of the matrices
  double largest_matrix = 0;
  double largest_tensor = 0;

  [[nodiscard]] double base() const { return matrices + tables + other; }
};

RankParameters rank_parameters(const models::Transformer& model, const models::Stage& stage,
                               const Layout& layout, const Adapters& adapters);

/// The same for the whole model on one card.
RankParameters all_parameters(const models::Transformer& model, const Adapters& adapters);

}  // namespace gpucap::training
