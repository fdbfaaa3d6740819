#pragma once

#include "gpucap/core/dtype.hpp"
#include "gpucap/models/transformer.hpp"
#include "gpucap/perf/calibration.hpp"
#include "gpucap/perf/kernel.hpp"

#include <cstdint>

namespace gpucap::perf {

inline constexpr double activation_bytes = 2;  ///< of a number: 16 bits whatever the weights are

/// What attention of one layer walks on one of `ranks` ranks: cached tokens, in their latents where
/// the model has those; encoders cache nothing and read the keys and values of the launch.
AttentionShape attention_shape(const models::Transformer& model, Dtype kv_dtype, int ranks);

/// The same for prompts, from attention_shape. Those of a model with latent attention run over keys
/// and values that are projected up for them, in 16 bits; only decodes stay in the latent.
AttentionShape prefill_shape(const models::Transformer& model, const AttentionShape& decode);

/// The causal chunk with as many query-key pairs as this one has under a window of that many
/// tokens: the token at position i sees min(i, window).
Chunk windowed(const Chunk& chunk, std::int64_t window);

/// Numbers per token that a streaming kernel passes over, on one of `ranks` ranks; 0 where the
/// model has no such layer.
double width_of(const models::Transformer& model, ElementwiseKernel::Width width, int ranks);

}  // namespace gpucap::perf
