#include "gpucap/training/settings.hpp"

namespace gpucap::training {
namespace {

template <std::size_t N, class Enum>
std::string_view word(const std::string_view (&words)[N], Enum value) {
  return words[static_cast<std::size_t>(value)];
}

}  // namespace

std::string_view name(Method method) {
  constexpr std::string_view words[] = {"full", "lora", "qlora"};
  return word(words, method);
}

std::string_view name(Weights weights) {
  constexpr std::string_view words[] = {"mixed", "amp", "pure", "full"};
  return word(words, weights);
}

std::string_view name(Optimizer optimizer) {
  constexpr std::string_view words[] = {"adamw", "adamw-8bit", "adamw-8bit-paged", "sgd",
                                        "sgd-momentum"};
  return word(words, optimizer);
}

std::string_view name(Recompute recompute) {
  constexpr std::string_view words[] = {"none", "selective", "full"};
  return word(words, recompute);
}

std::string_view name(Offload offload) {
  constexpr std::string_view words[] = {"none", "optimizer", "params"};
  return word(words, offload);
}

std::string_view name(AttentionKernel kernel) {
  constexpr std::string_view words[] = {"flash", "unfused"};
  return word(words, kernel);
}

std::string_view name(Adapters::Targets targets) {
  constexpr std::string_view words[] = {"query-value", "attention", "all-linear"};
  return word(words, targets);
}

std::array<std::pair<std::string_view, int>, 7> degrees_of(const Layout& layout) {
  return {{{"data_parallel", layout.data},
           {"tensor_parallel", layout.tensor},
           {"pipeline_parallel", layout.pipeline},
           {"context_parallel", layout.context},
           {"expert_parallel", layout.expert},
           {"interleave", layout.interleave},
           {"zero", layout.zero}}};
}

}  // namespace gpucap::training
