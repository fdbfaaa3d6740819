#include "gpucap/calibrate/training_samples.hpp"

#include "gpucap/catalog/conv_nets.hpp"
#include "gpucap/catalog/fits.hpp"
#include "gpucap/catalog/gpus.hpp"
#include "gpucap/catalog/hosts.hpp"

#include <algorithm>
#include <map>

#include "training_tables.hpp"

namespace gpucap::calibrate {

struct TrainingNodes::Books {
  catalog::GpuBook gpus;
  catalog::HostBook hosts;
  catalog::FitBook fits;
};

TrainingNodes::TrainingNodes(const std::filesystem::path& data_dir)
    : books_(
          std::make_unique<Books>(Books{catalog::load_gpus(data_dir), catalog::load_hosts(data_dir),
                                        catalog::FitBook(data_dir)})) {}

TrainingNodes::~TrainingNodes() = default;

namespace {

/// The name of a table as spec sheets have it: "RTX 6000 Ada" is rtx-6000-ada.
std::string usual_name(std::string_view gpu) {
  static const std::map<std::string_view, std::string_view> names = {
      {"H100 80GB SXM", "h100-sxm-80gb"},
      {"H100 80GB SXM5", "h100-sxm-80gb"},
      {"H100 80GB PCIe", "h100-pcie-80gb"},
      {"A100 80GB SXM4", "a100-sxm-80gb"},
      {"A100 40GB SXM4", "a100-sxm-40gb"},
      {"A100 40GB SXM4 (AWS p4d)", "a100-sxm-40gb"},
      {"A100 80GB PCIe", "a100-pcie-80gb"},
      {"A100 40GB PCIe", "a100-pcie-40gb"},
      {"RTX PRO 6000 Blackwell", "rtx-pro-6000-server"},
  };
  if (const auto found = names.find(gpu); found != names.end()) return std::string(found->second);
  std::string id(gpu);
  std::replace(id.begin(), id.end(), ' ', '-');
  return id;
}

}  // namespace

bool TrainingNodes::place(training::Question& question, std::string_view gpu, int cards,
                          std::string_view host) {
  const hardware::Gpu* known = books_->gpus.find(usual_name(gpu));
  if (known == nullptr) return false;
  const hardware::Host* home =
      host.empty() ? books_->hosts.default_host(*known, 1).host : books_->hosts.find(host);
  if (home == nullptr) return false;
  question.node = {*known, cards, *home};
  question.calibration = books_->fits.of(*known);
  return true;
}

TrainingSamples training_samples(const std::filesystem::path& tables,
                                 const std::filesystem::path& data_dir) {
  TrainingNodes nodes(data_dir);
  TrainingSamples out;
  const auto read = [&](const char* file, auto add) {
    SampleTable table = SampleTable::read_plain(tables / file);
    add(table, nodes, out);
    table.throw_if_problems();
  };
  read("llmq_training.csv", add_llmq);
  read("llmfoundry_mpt.csv", add_llm_foundry);
  read("qwen_finetune_profiling.csv", add_qwen);
  read("lambda_pytorch_training.csv", add_bert);
  const auto nets = catalog::load_conv_nets(data_dir);
  read("lambda_pytorch_training.csv",
       [&](SampleTable& table, TrainingNodes& places, TrainingSamples& samples) {
         add_resnet(table, nets.at("resnet-50"), places, samples);
       });
  return out;
}

}  // namespace gpucap::calibrate
