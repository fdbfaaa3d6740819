#pragma once

#include "gpucap/catalog/json_document.hpp"
#include "gpucap/models/transformer.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace gpucap::catalog {

/// A config.json while it is read: `keys` is the language model's part (`text_config` where there
/// is one), `outer` the file's root in that case.
struct ModelConfig {
  ObjectReader keys;
  std::optional<ObjectReader> outer;
  models::Transformer model;

  /// Present and not null: config.json writes null for "does not apply".
  [[nodiscard]] bool given(std::string_view key);
  /// The reader that holds the key, the inner one first; nothing where neither does.
  [[nodiscard]] ObjectReader* holder(std::string_view key);
  std::int64_t required(std::string_view key);  ///< a whole number above 0
  std::optional<std::int64_t> count(std::string_view key);
  bool flag(std::string_view key, bool otherwise);
  void problem(std::string_view key, std::string message);
  void assume(std::string what) { model.assumed.push_back(std::move(what)); }
};

/// Fills the model by its architecture; an unknown one is a problem.
void read_architecture(ModelConfig& config, const std::string& architecture);
std::vector<std::string> known_architectures();

/// Sets `quantization` where the checkpoint is quantised.
void read_quantization(ModelConfig& config);

/// Judges the keys that nobody asked for (see import_config).
void settle_unread_keys(ModelConfig& config);

// Parts that architectures share (model_config.cpp).
void read_decoder(ModelConfig& config, bool tied_by_default);
void read_dtype(ModelConfig& config);
void read_tying(ModelConfig& config, bool by_default);
/// `window_layers` of the layers use `sliding_window`, where `layer_types` does not say otherwise.
void read_window(ModelConfig& config, std::int64_t window_layers);
/// Biases that the published models of the architecture do not have are not modelled.
void refuse_bias(ModelConfig& config);

/// Parts of a checkpoint that are left out: said in `assumed`.
void note_vision(ModelConfig& config);
void note_draft(ModelConfig& config, const char* key);

// Architectures by family.
void read_mistral(ModelConfig& config);
void read_qwen(ModelConfig& config);
void read_qwen3(ModelConfig& config);
void read_mixtral(ModelConfig& config);
void read_qwen3_moe(ModelConfig& config);
void read_deepseek(ModelConfig& config);
void read_qwen3_5(ModelConfig& config);
void read_qwen3_5_moe(ModelConfig& config);
void read_gpt_oss(ModelConfig& config);
void read_glm4_moe(ModelConfig& config);
void read_llama4(ModelConfig& config);
void read_gemma2(ModelConfig& config);
void read_phi3(ModelConfig& config);
void read_bloom(ModelConfig& config);
void read_bert(ModelConfig& config);
void read_reranker(ModelConfig& config);

}  // namespace gpucap::catalog
