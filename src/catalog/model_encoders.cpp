#include "model_config.hpp"

namespace gpucap::catalog {
namespace {

// Post-norm encoders: biases and norms with bias everywhere, a norm after the embedding.
void read_encoder(ModelConfig& c) {
  auto& m = c.model;
  m.layers = c.required("num_hidden_layers");
  m.hidden = c.required("hidden_size");
  m.heads = c.required("num_attention_heads");
  m.ffn = c.required("intermediate_size");
  m.vocab = c.required("vocab_size");
  m.max_positions = c.required("max_position_embeddings");
  m.token_types = c.count("type_vocab_size").value_or(0);
  m.kv_heads = m.heads;
  m.head_dim = m.hidden / m.heads;
  m.encoder = m.tied_embeddings = true;
  m.gated_mlp = false;
  m.linear_bias = m.norm_bias = m.embedding_norm = m.learned_positions = true;
  read_dtype(c);
}

}  // namespace

void read_bert(ModelConfig& c) {
  read_encoder(c);
  c.model.pooler = true;
}

void read_reranker(ModelConfig& c) {
  read_encoder(c);
  // One logit unless the file names its labels.
  c.model.classes = c.count("num_labels").value_or(1);
}

}  // namespace gpucap::catalog
