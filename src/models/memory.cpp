#include "gpucap/models/transformer.hpp"

#include <algorithm>

#include "matrices.hpp"

namespace gpucap::models {
namespace {

// A tied head shares the embedding only where both stand on the same card.
std::int64_t vocabularies_on(const Transformer& model, const Stage& stage) {
  if (model.encoder) return stage.first ? 1 : 0;
  if (stage.first && stage.last) return model.tied_embeddings ? 1 : 2;
  return stage.first || stage.last ? 1 : 0;
}

// A plain format casts the whole model, a quantised one leaves the rest as the checkpoint has it.
double bits_of_other_weights(const Transformer& model, const WeightFormat& format) {
  return format.bits_per_weight >= 16 ? format.bits_per_weight : bits(model.dtype);
}

/// Embedding and head; a table that serves as both is stored as a head.
double vocabulary_bytes(const Transformer& model, const WeightFormat& format, int tensor_parallel,
                        const Stage& stage) {
  const double own = bits_of_other_weights(model, format);
  const double head = format.head_bits.value_or(own);
  const double embedding = model.tied_embeddings ? head : format.embedding_bits.value_or(own);
  const auto tables = vocabularies_on(model, stage);
  const double bits = tables == 2 ? embedding + head
                                  : static_cast<double>(tables) * (stage.last ? head : embedding);
  return static_cast<double>(vocabulary_weights(model, tensor_parallel)) * bits / 8;
}

std::int64_t other_tables_on_stage(const Transformer& model, const Stage& stage) {
  const auto classifier = classifier_weights(model) + classifier_biases(model);
  return edge_norm_weights(model, stage.first, stage.last) +
         (stage.first ? position_weights(model) : 0) + (stage.last ? classifier : 0);
}

}  // namespace

std::int64_t kv_heads_on_rank(const Transformer& model, int tensor_parallel) {
  return std::max<std::int64_t>(1, model.kv_heads / tensor_parallel);
}

std::int64_t attending_layers(const Transformer& model) {
  return model.layers - model.recurrent_layers;
}

std::int64_t kv_bytes_per_token_and_layer(const Transformer& model, Dtype kv_dtype,
                                          int tensor_parallel) {
  if (model.encoder) return 0;
  if (model.latent) return (model.latent->kv_lora + model.latent->qk_rope) * bits(kv_dtype) / 8;
  return 2 * kv_heads_on_rank(model, tensor_parallel) * model.head_dim * bits(kv_dtype) / 8;
}

std::int64_t kv_bytes_per_token(const Transformer& model, Dtype kv_dtype, int tensor_parallel) {
  return attending_layers(model) * kv_bytes_per_token_and_layer(model, kv_dtype, tensor_parallel);
}

std::int64_t recurrent_state_bytes(const Transformer& model, int tensor_parallel) {
  return model.recurrent_layers * share(model.recurrent_state_bytes, tensor_parallel);
}

std::int64_t kv_bytes_of_sequence(const Transformer& model, Dtype kv_dtype, int tensor_parallel,
                                  std::int64_t tokens) {
  const auto per_layer = kv_bytes_per_token_and_layer(model, kv_dtype, tensor_parallel);
  const auto windowed = model.sliding_window ? model.sliding_layers : 0;
  const auto kept = std::min(tokens, model.sliding_window.value_or(tokens));
  return ((attending_layers(model) - windowed) * tokens + windowed * kept) * per_layer +
         recurrent_state_bytes(model, tensor_parallel);
}

double weight_bytes_on_stage(const Transformer& model, const WeightFormat& format,
                             int tensor_parallel, const Stage& stage, bool expert_parallel) {
  std::int64_t quantised = 0;
  auto other = other_tables_on_stage(model, stage);
  for (const auto& matrix : layer_matrices(model, tensor_parallel)) {
    const auto layers = layers_in(stage, matrix.where);
    const bool shrinks = matrix.quantised && !format.experts_only;
    (shrinks ? quantised : other) += layers * matrix.n * matrix.k;
    other += layers * matrix.bias;
  }
  if (model.experts) {
    const auto dealt =
        expert_parallel ? share(model.experts->routed, tensor_parallel) : model.experts->routed;
    const auto cut = expert_parallel ? 1 : tensor_parallel;
    quantised += stage.sparse * dealt * expert_weights(model, cut);
  }
  for (const auto where : {Where::attending, Where::recurrent, Where::dense, Where::sparse}) {
    other += layers_in(stage, where) * vector_weights(model, where, tensor_parallel);
  }
  return vocabulary_bytes(model, format, tensor_parallel, stage) +
         static_cast<double>(quantised) * bytes_per_weight(format) +
         static_cast<double>(other) * bits_of_other_weights(model, format) / 8;
}

double weight_bytes(const Transformer& model, const WeightFormat& format, int tensor_parallel,
                    int pipeline_parallel) {
  double fullest = 0;
  for (const auto& stage : pipeline_stages(model, pipeline_parallel)) {
    fullest = std::max(fullest, weight_bytes_on_stage(model, format, tensor_parallel, stage));
  }
  return fullest;
}

std::int64_t rotary_table_bytes(const Transformer& model) {
  if (model.learned_positions) return 0;
  const auto whole_head = model.latent ? model.latent->qk_rope : model.head_dim;
  return model.max_positions * model.rotary_dim.value_or(whole_head) * 2;
}

}  // namespace gpucap::models
