#include "training_shapes.hpp"

#include <algorithm>
#include <array>
#include <string>

namespace gpucap::calibrate {
namespace {

struct Shape {
  std::string_view name;
  std::int64_t layers, hidden, ffn, heads, kv_heads, vocab;
};

/// llm-foundry's scripts/train/yamls and the published config.json of the Qwen models; each gives
/// the parameter count that its table states.
constexpr std::array shapes = {
    Shape{"MPT-125m", 12, 768, 3072, 12, 12, 50368},
    Shape{"MPT-350m", 24, 1024, 4096, 16, 16, 50368},
    Shape{"MPT-760m", 24, 1536, 6144, 12, 12, 50368},
    Shape{"MPT-1b", 24, 2048, 8192, 16, 16, 50368},
    Shape{"MPT-3b", 32, 2560, 10240, 20, 20, 50368},
    Shape{"MPT-7b", 32, 4096, 16384, 32, 32, 50368},
    Shape{"MPT-13b", 40, 5120, 20480, 40, 40, 50368},
    Shape{"MPT-30b", 48, 7168, 28672, 56, 56, 50368},
    Shape{"MPT-70b", 80, 8192, 32768, 64, 64, 50368},
    Shape{"Qwen-1.8B", 24, 2048, 5504, 16, 16, 151936},
    Shape{"Qwen-7B", 32, 4096, 11008, 32, 32, 151936},
    Shape{"Qwen-14B", 40, 5120, 13696, 40, 40, 152064},
    Shape{"Qwen-72B", 80, 8192, 24576, 64, 64, 152064},
    Shape{"Qwen2.5-0.5B", 24, 896, 4864, 14, 2, 151936},
    Shape{"Qwen2.5-1.5B", 28, 1536, 8960, 12, 2, 151936},
    Shape{"Qwen2.5-3B", 36, 2048, 11008, 16, 2, 151936},
    Shape{"Qwen2.5-7B", 28, 3584, 18944, 28, 4, 152064},
    Shape{"Qwen2.5-14B", 48, 5120, 13824, 40, 8, 152064},
    Shape{"Qwen2.5-32B", 64, 5120, 27648, 40, 8, 152064},
    Shape{"bert_large_squad", 24, 1024, 4096, 16, 16, 30522},
};

void set_family(models::Transformer& model) {
  const std::string& id = model.id;
  const bool mpt = id.starts_with("MPT");
  const bool bert = id.starts_with("bert");
  model.gated_mlp = !mpt && !bert;
  model.learned_positions = mpt || bert;
  model.tied_embeddings = mpt || id == "Qwen2.5-0.5B" || id == "Qwen2.5-1.5B" || id == "Qwen2.5-3B";
  model.qkv_bias = !mpt;
  model.linear_bias = model.norm_bias = model.encoder = bert;
}

}  // namespace

std::optional<models::Transformer> training_shape(std::string_view name) {
  const auto* found = std::find_if(shapes.begin(), shapes.end(),
                                   [&](const Shape& shape) { return shape.name == name; });
  if (found == shapes.end()) return std::nullopt;
  models::Transformer model;
  model.id = std::string(name);
  model.layers = found->layers;
  model.hidden = found->hidden;
  model.ffn = found->ffn;
  model.heads = found->heads;
  model.kv_heads = found->kv_heads;
  model.head_dim = found->hidden / found->heads;
  model.vocab = found->vocab;
  model.max_positions = 512;  // of BERT; llm-foundry makes as many as a sequence is long
  set_family(model);
  return model;
}

}  // namespace gpucap::calibrate
