#include "gpucap/models/transformer.hpp"

#include <cmath>

#include "matrices.hpp"

namespace gpucap::models {
namespace {

constexpr std::int64_t mib = 1024 * 1024;
constexpr std::int64_t own_segment_from = 10 * mib;  // kMinLargeAlloc
constexpr std::int64_t segment_step = 2 * mib;       // kRoundLarge
constexpr std::int64_t not_split_up_to = 1 * mib;    // kSmallSize

std::int64_t rounding_of(std::int64_t tensor_bytes) {
  if (tensor_bytes < own_segment_from) return 0;
  const auto left = (segment_step - tensor_bytes % segment_step) % segment_step;
  return left <= not_split_up_to ? left : 0;
}

std::int64_t bytes_of(std::int64_t weights, double bits) {
  return static_cast<std::int64_t>(std::ceil(static_cast<double>(weights) * bits / 8));
}

}  // namespace

std::int64_t allocator_rounding_bytes(const Transformer& model, const WeightFormat& format,
                                      int tensor_parallel, const Stage& stage) {
  const double own_bits = bits_of_other_weights(model, format);
  std::int64_t total = 0;
  for (const auto& matrix : layer_matrices(model, tensor_parallel)) {
    const auto held = matrix.quantised ? format.bits_per_weight : own_bits;
    total += layers_in(stage, matrix.where) * rounding_of(bytes_of(matrix.n * matrix.k, held));
  }
  // Engines stack the experts of a layer: one tensor for gates and ups, one for downs.
  if (model.experts) {
    const auto down = model.experts->routed * expert_weights(model, tensor_parallel) / 3;
    total += stage.sparse * (rounding_of(bytes_of(2 * down, format.bits_per_weight)) +
                             rounding_of(bytes_of(down, format.bits_per_weight)));
  }
  const auto vocabulary = bytes_of(vocabulary_weights(model, tensor_parallel), own_bits);
  return total + vocabularies_on(model, stage) * rounding_of(vocabulary);
}

}  // namespace gpucap::models
