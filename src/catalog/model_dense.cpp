#include "model_config.hpp"
#include <fmt/format.h>

namespace gpucap::catalog {

void read_gemma2(ModelConfig& c) {
  read_decoder(c, true);
  refuse_bias(c);
  c.model.extra_norms = 2;  // before and after both halves of a layer
  read_window(c, c.model.layers / 2);
}

// Query, key and value, and gate and up, are one matrix each in the file: the same products.
void read_phi3(ModelConfig& c) {
  read_decoder(c, false);
  refuse_bias(c);
  const auto window = c.count("sliding_window");
  const bool covers_all = window && *window >= c.model.max_positions;
  if (!covers_all) read_window(c, c.model.layers);
}

void read_bloom(ModelConfig& c) {
  auto& m = c.model;
  m.layers = c.required("n_layer");
  m.hidden = c.required(c.given("hidden_size") ? "hidden_size" : "n_embed");
  m.heads = c.required(c.given("num_attention_heads") ? "num_attention_heads" : "n_head");
  m.vocab = c.required("vocab_size");
  m.max_positions = c.required("seq_length");  // trained on; linear biases have no table
  m.ffn = 4 * m.hidden;
  m.kv_heads = m.heads;
  m.head_dim = m.hidden / m.heads;
  m.rotary_dim = 0;
  m.gated_mlp = false;
  m.linear_bias = m.norm_bias = m.embedding_norm = true;
  read_dtype(c);
  read_tying(c, true);
}

}  // namespace gpucap::catalog
