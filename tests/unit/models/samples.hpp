#pragma once

#include "gpucap/models/transformer.hpp"

namespace gpucap::models {

/// Llama-3.1-8B, the example of docs/models/parameters-and-kv.md.
inline Transformer llama_8b() {
  Transformer m;
  m.layers = 32;
  m.hidden = 4096;
  m.ffn = 14336;
  m.heads = 32;
  m.kv_heads = 8;
  m.head_dim = 128;
  m.vocab = 128256;
  m.max_positions = 131072;
  return m;
}

/// A small mixture: 4 layers, 8 experts of 3 x 1024 x 4096, the first layer dense.
inline Transformer small_mixture() {
  Transformer m;
  m.layers = 4;
  m.hidden = 1024;
  m.ffn = 2048;
  m.heads = 8;
  m.kv_heads = 8;
  m.head_dim = 128;
  m.vocab = 1000;
  m.max_positions = 4096;
  m.experts = Experts{.routed = 8, .per_token = 2, .ffn = 4096, .dense_layers = 1};
  return m;
}

/// 8 layers of which two attend.
inline Transformer small_hybrid() {
  Transformer m = llama_8b();
  m.layers = 8;
  m.recurrent_layers = 6;
  m.recurrent = RecurrentAttention{.key_heads = 16,
                                   .key_head_dim = 128,
                                   .value_heads = 48,
                                   .value_head_dim = 128,
                                   .conv_kernel = 4};
  m.recurrent_state_bytes = 1000;
  return m;
}

/// DeepSeek-V2-Lite's attention on one layer.
inline Transformer latent() {
  Transformer m = llama_8b();
  m.heads = m.kv_heads = 16;
  m.hidden = 2048;
  m.latent =
      LatentAttention{.q_lora = 0, .kv_lora = 512, .qk_nope = 128, .qk_rope = 64, .v_head = 128};
  return m;
}

}  // namespace gpucap::models
