#pragma once

#include "gpucap/training/question.hpp"
#include "gpucap/units/quantity.hpp"

#include "rank_parameters.hpp"

namespace gpucap::training {

/// Bytes per parameter that is trained.
struct ParameterBytes {
  double weight = 0, gradient = 0;
  double master = 0;   ///< fp32 copy of 16-bit weights
  double moments = 0;  ///< of the optimiser
  bool wide = true;    ///< updated in fp32

  [[nodiscard]] double states() const { return master + moments; }
};

/// Of all moments of one weight: Adam has two, 8-bit ones with an fp32 constant per 256.
double moment_bytes(const Settings& settings);

ParameterBytes bytes_of_full_training(const Settings& settings);
ParameterBytes bytes_of_adapter(const Settings& settings, const Software::Memory& memory);
/// Embedding and head copied by adapter trainers: all in 16 bits.
ParameterBytes bytes_of_copied_table(const Settings& settings);

/// Bytes per frozen weight of a matrix; tables and norms keep 16 bits.
double frozen_matrix_bytes(const Settings& settings);

/// What one rank holds all through a step, and what its update takes.
struct States {
  Bytes frozen;   ///< base beside adapters
  Bytes weights;  ///< trained ones
  Bytes gradients;
  Bytes optimizer;
  Bytes update;  ///< temporaries while weights are updated
  Bytes host;    ///< of this rank, in host memory
};

States states_on_rank(const Question& question, const RankParameters& count);

/// A saved state of the whole job: weights with what the optimiser knows of them.
Bytes checkpoint_bytes(const Question& question, const models::Transformer& model);

/// 16-bit or 4-bit bytes of the base as a whole, before ranks share it.
Bytes base_bytes(const Settings& settings, const RankParameters& count);

}  // namespace gpucap::training
