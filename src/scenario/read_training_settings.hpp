#pragma once

#include "gpucap/core/error.hpp"
#include "gpucap/training/question.hpp"
#include "gpucap/training/settings.hpp"

#include <cstdint>
#include <optional>
#include <string>

#include "sections.hpp"

namespace gpucap::scenario {

/// Settings of training as written; absent ones fall back to the common ones, then to what suits
/// the method and the network.
struct SettingsWords {
  std::optional<training::Method> method;
  std::optional<training::Weights> weights;
  std::optional<Dtype> arithmetic, gradients;
  std::optional<training::Optimizer> optimizer;
  std::optional<bool> fused_optimizer;
  std::optional<std::int64_t> seq_len, micro_batch, grad_accum;
  std::optional<training::Recompute> recompute;
  std::optional<training::AttentionKernel> attention;
  std::optional<training::Offload> offload;
  std::optional<std::int64_t> rank;
  std::optional<training::Adapters::Targets> targets;
  std::optional<bool> dropout, embeddings, double_quantisation;

  [[nodiscard]] SettingsWords over(const SettingsWords& common) const;
};

SettingsWords read_settings_words(ObjectReader& object);

/// Everything filled in. Without a word: 16-bit mixed precision and AdamW for transformers;
/// autocast over fp32 weights for encoders, and with SGD momentum for convolution nets.
training::Settings settings_from(const SettingsWords& words, const training::Network& network);

/// Words that contradict each other.
struct SettingsProblem {
  std::string message, code;
};
std::optional<SettingsProblem> settings_problem(const SettingsWords& words,
                                                const training::Settings& settings);

}  // namespace gpucap::scenario
