#include "training_tables.hpp"
#include <fmt/format.h>

namespace gpucap::calibrate {
namespace {

using training::Weights;

/// A run on one card with a stated batch; the fit of nets takes the median of the newest ones.
bool wanted(const SampleTable& table, std::size_t row) {
  return table.text(row, "model") == "resnet50" && table.text(row, "gpu_count") == "1" &&
         table.text(row, "micro_batch") != "";
}

}  // namespace

void add_resnet(SampleTable& table, const models::ConvNet& net, TrainingNodes& nodes,
                TrainingSamples& out) {
  for (std::size_t row = 0; row < table.rows(); ++row) {
    if (!wanted(table, row)) continue;
    TrainingSample sample;
    if (!nodes.place(sample.question, table.text(row, "gpu"), 1, "")) {
      out.skipped.push_back(
          fmt::format("{} on 1 x {}: no such card here", net.id, table.text(row, "gpu")));
      continue;
    }
    auto& settings = sample.question.settings;
    const bool narrow = table.text(row, "dtype") != "FP32";  // which is TF32 since Ampere
    settings.arithmetic = narrow ? Dtype::fp16 : Dtype::tf32;
    settings.weights = narrow ? Weights::amp : Weights::full;
    settings.gradients = Dtype::fp32;
    settings.optimizer = training::Optimizer::sgd_momentum;
    settings.micro_batch = table.count(row, "micro_batch");
    sample.question.network = net;
    sample.software = "dl-examples";
    sample.gpu = sample.question.node.gpu.id;
    sample.model = net.id;
    sample.part =
        table.text(row, "container_gen") == "v1" ? "nets, fitted" : "nets, older container";
    sample.label = fmt::format("{} x1 {} {} images", sample.gpu, net.id, settings.micro_batch);
    sample.step =
        static_cast<double>(settings.micro_batch) / table.number(row, "throughput") * unit::s;
    out.samples.push_back(std::move(sample));
  }
}

}  // namespace gpucap::calibrate
