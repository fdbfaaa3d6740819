#include "gpucap/scenario/training_options.hpp"

#include "option_mapping.hpp"

namespace gpucap::scenario {
namespace {

constexpr OptionPlace places[] = {
    {"model", "/workload/model", true},
    {"tokens", "/workload/tokens", false},
    {"samples", "/workload/samples", false},
    {"method", "/workload/method", true},
    {"weights", "/workload/weights", true},
    {"arithmetic", "/workload/arithmetic", true},
    {"optimizer", "/workload/optimizer", true},
    {"seq-len", "/workload/seq_len", false},
    {"micro-batch", "/workload/micro_batch", false},
    {"grad-accum", "/workload/grad_accum", false},
    {"global-batch", "/workload/global_batch", false},
    {"recompute", "/workload/recompute", true},
    {"offload", "/workload/offload", true},
    {"lora-rank", "/workload/adapters/rank", false},
    {"software", "/workload/software", true},
    {"gpu", "/candidates/0/node/gpu", true},
    {"count", "/candidates/0/node/count", false},
    {"host", "/candidates/0/node/host", true},
    {"data-parallel", "/candidates/0/layout/data_parallel", false},
    {"tensor-parallel", "/candidates/0/layout/tensor_parallel", false},
    {"pipeline-parallel", "/candidates/0/layout/pipeline_parallel", false},
    {"context-parallel", "/candidates/0/layout/context_parallel", false},
    {"expert-parallel", "/candidates/0/layout/expert_parallel", false},
    {"zero", "/candidates/0/layout/zero", false},
    {"calibration", "/calibrations", true},
    {"offer", "/candidates/0/offer", true},
};

constexpr const char* degrees[] = {"data-parallel", "tensor-parallel", "pipeline-parallel",
                                   "context-parallel"};

}  // namespace

std::vector<Setting> training_settings_of(const Options& options) {
  std::vector<Setting> settings = settings_at(places, options);
  if (!value_of(options, "count")) {
    settings.push_back(
        {"--count", "/candidates/0/node/count", product_of(options, degrees), false});
  }
  if (value_of(options, "fused-optimizer")) {
    settings.push_back({"--fused-optimizer", "/workload/fused_optimizer", "true", false});
  }
  if (value_of(options, "search")) {
    settings.push_back({"--search", "/candidates/0/layout", "search", true});
  }
  if (const auto price = price_setting(options)) settings.push_back(*price);
  return settings;
}

std::optional<std::string> training_option_at(const std::string& pointer) {
  if (pointer == "/candidates/0/training") return "--method";
  return option_at(places, pointer);
}

}  // namespace gpucap::scenario
