#pragma once

#include "gpucap/calibrate/sample_table.hpp"
#include "gpucap/calibrate/training_samples.hpp"

#include <memory>
#include <string>
#include <string_view>

namespace gpucap::calibrate {

/// Cards, hosts and fits by name.
class TrainingNodes {
 public:
  explicit TrainingNodes(const std::filesystem::path& data_dir);
  ~TrainingNodes();

  /// Fills in node and calibration; false where the project does not know the card. `host`: id, or
  /// empty for the card's usual one.
  bool place(training::Question& question, std::string_view gpu, int cards, std::string_view host);

 private:
  struct Books;
  std::unique_ptr<Books> books_;
};

// The rows of one table.
void add_llmq(SampleTable& table, TrainingNodes& nodes, TrainingSamples& out);
void add_llm_foundry(SampleTable& table, TrainingNodes& nodes, TrainingSamples& out);
void add_qwen(SampleTable& table, TrainingNodes& nodes, TrainingSamples& out);
void add_bert(SampleTable& table, TrainingNodes& nodes, TrainingSamples& out);
void add_resnet(SampleTable& table, const models::ConvNet& net, TrainingNodes& nodes,
                TrainingSamples& out);

}  // namespace gpucap::calibrate
