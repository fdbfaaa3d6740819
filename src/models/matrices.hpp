#pragma once

#include "gpucap/models/transformer.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace gpucap::models {

/// Which layers hold a tensor.
enum class Where { attending, recurrent, dense, sparse };

/// A weight matrix of one layer as one rank holds it. Counts, bytes and matrix products all come
/// from this one list, so they cannot disagree.
struct Matrix {
  std::string name;
  Gemm::Role role;
  Where where;
  std::int64_t n;     ///< outputs on the rank
  std::int64_t k;     ///< inputs on the rank
  std::int64_t bias;  ///< numbers of the bias on the rank
  bool quantised;     ///< whether a quantised checkpoint shrinks it
};

/// All matrices of the layers but the routed experts.
std::vector<Matrix> layer_matrices(const Transformer& model, int tensor_parallel);

/// Weights of one routed expert on a rank.
std::int64_t expert_weights(const Transformer& model, int tensor_parallel);

/// Weights of one layer that are no matrix: norms, convolution, router bias.
std::int64_t vector_weights(const Transformer& model, Where where, int tensor_parallel);

std::int64_t norm_weights(const Transformer& model);  ///< one norm over `hidden`
std::int64_t vocabulary_weights(const Transformer& model, int tensor_parallel);
std::int64_t position_weights(const Transformer& model);  ///< and segment tables
/// Norms outside the layers: after the embedding on the first stage, before the head on the last.
std::int64_t edge_norm_weights(const Transformer& model, bool first, bool last);
std::int64_t classifier_weights(const Transformer& model);  ///< matrices on top of an encoder
std::int64_t classifier_biases(const Transformer& model);

std::int64_t layers_in(const Stage& stage, Where where);

/// Rounded up, so that an uneven split shows the fullest rank.
constexpr std::int64_t share(std::int64_t whole, int ranks) {
  return (whole + ranks - 1) / ranks;
}

}  // namespace gpucap::models
