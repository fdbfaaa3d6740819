#pragma once

#include "gpucap/models/transformer.hpp"
#include "gpucap/perf/engine_profile.hpp"
#include "gpucap/perf/footprint.hpp"
#include "gpucap/units/quantity.hpp"

namespace gpucap::perf {

/// What the profile run allocates at its peak, by what fills it. Only the largest of the three
/// candidates (logits, MLP, experts) exists at the peak, so the others are zero.
struct ActivationPeak {
  Bytes hidden;              ///< hidden states of all batched tokens
  Bytes logits_and_sampler;  ///< at most max_num_seqs rows, on the last pipeline stage
  Bytes mlp;
  Bytes moe_workspace;
  Bytes floor;  ///< added to reach the engine's least buffer

  [[nodiscard]] Bytes total() const {
    return hidden + logits_and_sampler + mlp + moe_workspace + floor;
  }
};
ActivationPeak activation_peak(const ServingMemoryQuestion& question, const models::Stage& stage);

/// What the allocator loses on the weights of a stage: it takes blocks of 2 MiB for a tensor of
/// 10 MiB and more, and a rest of up to 1 MiB stays with the tensor.
Bytes allocator_rounding(const models::Transformer& model, const models::WeightFormat& format,
                         int tensor_parallel, const models::Stage& stage);

}  // namespace gpucap::perf
