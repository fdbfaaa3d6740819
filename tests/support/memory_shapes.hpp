#pragma once

#include "gpucap/catalog/engines.hpp"
#include "gpucap/hardware/gpu.hpp"
#include "gpucap/models/transformer.hpp"
#include "gpucap/perf/footprint.hpp"

namespace gpucap::test {

/// Shapes of published config.json files, for tests that need a whole model.
struct Shape {
  const char* id;
  std::int64_t layers, hidden, ffn, heads, kv_heads, head_dim, vocab, max_positions;
  bool qkv_bias = false, qk_norm = false, tied = false;
};

inline models::Transformer transformer(const Shape& shape) {
  models::Transformer model;
  model.id = shape.id;
  model.layers = shape.layers;
  model.hidden = shape.hidden;
  model.ffn = shape.ffn;
  model.heads = shape.heads;
  model.kv_heads = shape.kv_heads;
  model.head_dim = shape.head_dim;
  model.vocab = shape.vocab;
  model.max_positions = shape.max_positions;
  model.qkv_bias = shape.qkv_bias;
  model.qk_norm = shape.qk_norm;
  model.tied_embeddings = shape.tied;
  return model;
}

inline const Shape llama_31_8b{"llama-3.1-8b", 32, 4096, 14336, 32, 8, 128, 128256, 131072};
inline const Shape llama_2_7b{"llama-2-7b", 32, 4096, 11008, 32, 32, 128, 32000, 4096};
inline const Shape llama_31_70b{"llama-3.1-70b", 80, 8192, 28672, 64, 8, 128, 128256, 131072};
inline const Shape qwen3_8b{"qwen3-8b", 36, 4096, 12288, 32, 8, 128, 151936, 40960, false, true};
inline const Shape qwen3_0_6b{"qwen3-0.6b", 28,     1024,  3072,  16,   8,
                              128,          151936, 40960, false, true, true};
inline const Shape qwen25_0_5b{"qwen2.5-0.5b", 24,    896,  4864,  14,  2, 64,
                               151936,         32768, true, false, true};
inline const Shape qwen25_7b{"qwen2.5-7b", 28, 3584, 18944, 28, 4, 128, 152064, 32768, true};
inline const Shape qwen25_14b{"qwen2.5-14b", 48, 5120, 13824, 40, 8, 128, 152064, 32768, true};
inline const Shape r1_qwen_14b{
    "r1-distill-qwen-14b", 48, 5120, 13824, 40, 8, 128, 152064, 131072, true};
inline const Shape r1_qwen_32b{
    "r1-distill-qwen-32b", 64, 5120, 27648, 40, 8, 128, 152064, 131072, true};
inline const Shape mistral_nemo{"mistral-nemo", 40, 5120, 14336, 32, 8, 128, 131072, 131072};
inline const Shape yi_34b{"yi-34b", 60, 7168, 20480, 56, 8, 128, 64000, 4096};

inline hardware::Gpu card(double visible_gib, const char* id = "card") {
  hardware::Gpu gpu;
  gpu.id = id;
  gpu.name = id;
  gpu.memory_visible = visible_gib * unit::GiB;
  return gpu;
}

inline hardware::Gpu rtx_4090() {
  auto gpu = card(0, "rtx-4090");
  gpu.memory_visible = 25250627584 * unit::byte;
  return gpu;
}

inline const catalog::EngineBook& engines() {
  static const auto book = catalog::load_engines(GPUCAP_SOURCE_DIR);
  return book;
}

/// A question that keeps its model and card alive.
struct Asked {
  models::Transformer model;
  hardware::Gpu gpu;
  perf::ServingMemoryQuestion question;

  Asked(models::Transformer m, hardware::Gpu g, const char* engine)
      : model(std::move(m)), gpu(std::move(g)) {
    question.engine = engines().find(engine);
    question.weights.name = "bf16";
  }
  perf::ServingFootprint answer() {
    question.model = &model;
    question.gpu = &gpu;
    return perf::serving_footprint(question);
  }
};

}  // namespace gpucap::test
