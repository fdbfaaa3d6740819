#include "gpucap/models/transformer.hpp"

#include "matrices.hpp"

namespace gpucap::models {
namespace {

constexpr Where everywhere[] = {Where::attending, Where::recurrent, Where::dense, Where::sparse};

// Weights outside matrices, embeddings included.
std::int64_t vectors_and_tables(const Transformer& model, const Stage& whole) {
  auto count = vocabulary_weights(model, 1) + position_weights(model) +
               edge_norm_weights(model, true, true) + classifier_biases(model);
  for (const auto where : everywhere) {
    count += layers_in(whole, where) * vector_weights(model, where, 1);
  }
  return count;
}

std::int64_t count_with_experts(const Transformer& model, std::int64_t experts_per_layer) {
  const auto whole = pipeline_stages(model, 1).front();
  auto count = vectors_and_tables(model, whole);
  count += classifier_weights(model);
  if (!model.tied_embeddings && !model.encoder) count += vocabulary_weights(model, 1);
  for (const auto& matrix : layer_matrices(model, 1)) {
    count += layers_in(whole, matrix.where) * (matrix.n * matrix.k + matrix.bias);
  }
  return count + whole.sparse * experts_per_layer * expert_weights(model, 1);
}

}  // namespace

std::int64_t parameters(const Transformer& model) {
  return count_with_experts(model, model.experts ? model.experts->routed : 0);
}

std::int64_t active_parameters(const Transformer& model) {
  return count_with_experts(model, model.experts ? model.experts->per_token : 0);
}

std::int64_t matmul_parameters(const Transformer& model) {
  const auto whole = pipeline_stages(model, 1).front();
  auto count = model.encoder ? 0 : vocabulary_weights(model, 1);
  for (const auto& matrix : layer_matrices(model, 1)) {
    count += layers_in(whole, matrix.where) * matrix.n * matrix.k;
  }
  const auto chosen = model.experts ? model.experts->per_token : 0;
  return count + whole.sparse * chosen * expert_weights(model, 1);
}

}  // namespace gpucap::models
