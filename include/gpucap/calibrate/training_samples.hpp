#pragma once

#include "gpucap/training/question.hpp"
#include "gpucap/units/quantity.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace gpucap::calibrate {

/// A measured training run.
struct TrainingSample {
  std::string software;  ///< class that its program belongs to: "tuned"
  std::string gpu;       ///< id
  std::string model;
  std::string label;  ///< for people: "qwen2.5-7b, 8 cards, 16 x 1024"
  std::string part;   ///< "fit", "nets, fitted" (by fit_conv_net), or why it is a test: "4 cards"
  training::Question question;  ///< without the constants of its class
  Seconds step;                 ///< measured, of one optimiser step
};

/// What could be made of the tables of measured training and what was left out, with reasons.
struct TrainingSamples {
  std::vector<TrainingSample> samples;
  std::vector<std::string> skipped;
};

/// Reads llmq_training.csv, llmfoundry_mpt.csv, qwen_finetune_profiling.csv and
/// lambda_pytorch_training.csv (BERT-large and ResNet-50) of a folder. What is fitted and what is
/// tested: docs/models/training-time.md. Throws InputError.
TrainingSamples training_samples(const std::filesystem::path& tables,
                                 const std::filesystem::path& data_dir);

}  // namespace gpucap::calibrate
