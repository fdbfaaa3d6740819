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
  double expert_adapters = 0;   ///< of `adapters`: beside routed experts
  double copied_tables = 0;     ///< embedding and head trained as full copies beside adapters
  double adapter_inputs = 0;    ///< per token: inputs of all adapters, chosen experts only
  double quantised_inputs = 0;  ///< per token: distinct inputs of the matrices
  double largest_matrix = 0;
  double largest_tensor = 0;

  [[nodiscard]] double base() const { return matrices + tables + other; }
};

/// Ranks that share weights, gradients or states under ZeRO.
int shards(const Layout& layout);

/// Share that one rank keeps of `count` numbers when ZeRO cuts them, `experts` of them belonging to
/// routed experts: ranks that hold different experts have nothing of them to share.
double kept_share(double count, double experts, const Layout& layout);

RankParameters rank_parameters(const models::Transformer& model, const models::Stage& stage,
                               const Layout& layout, const Adapters& adapters);

/// The same for the whole model on one card.
RankParameters all_parameters(const models::Transformer& model, const Adapters& adapters);

}  // namespace gpucap::training
