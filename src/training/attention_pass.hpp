#pragma once

#include "gpucap/models/transformer.hpp"
#include "gpucap/perf/kernel.hpp"
#include "gpucap/training/question.hpp"

#include "products.hpp"

namespace gpucap::training {

/// Scores, softmax and weighted sum of one layer for one micro-batch on one rank.
struct AttentionPass {
  perf::Work forward, backward;
};

/// Heads of one rank and the keys and values that they read, in 16 bits; latent attention trains
/// over whole heads.
perf::AttentionShape training_attention(const models::Transformer& model, int tensor);

/// `window` 0: each token sees all earlier ones (all, in an encoder). Flash kernels: forward as a
/// prompt, backward 2.5 x of it with attention_backward_tokens more for each query. Unfused: six
/// products over whole squares of scores and the traffic of those. Context-parallel ranks have
/// equal parts of the pairs.
AttentionPass attention_pass(const Question& question, const Products& products,
                             const models::Transformer& model, std::int64_t window);

}  // namespace gpucap::training
