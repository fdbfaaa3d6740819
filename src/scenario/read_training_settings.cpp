#include "read_training_settings.hpp"

#include <fmt/format.h>

namespace gpucap::scenario {
namespace {

using namespace training;

/// The words of an enumeration, by the names that the options use.
template <class Enum>
std::optional<Enum> word(ObjectReader& object, std::string_view key, std::string_view kind,
                         std::initializer_list<Enum> values) {
  std::vector<std::pair<std::string, Enum>> words;
  for (const Enum value : values) words.emplace_back(training::name(value), value);
  return object.choice<Enum>(key, kind, words);
}

std::optional<Dtype> dtype_word(ObjectReader& object, std::string_view key,
                                std::initializer_list<Dtype> values) {
  std::vector<std::pair<std::string, Dtype>> words;
  for (const Dtype value : values) words.emplace_back(gpucap::name(value), value);
  return object.choice<Dtype>(key, "number format", words);
}

void read_adapters(ObjectReader adapters, SettingsWords& words) {
  using Targets = Adapters::Targets;
  words.rank = count_from(adapters, "rank", 1, 8192);
  words.targets = word<Targets>(adapters, "targets", "set of targets",
                                {Targets::query_value, Targets::attention, Targets::all_linear});
  words.dropout = adapters.flag("dropout");
  words.embeddings = adapters.flag("embeddings");
  adapters.finish();
}

bool is_wide(Dtype arithmetic) {
  return arithmetic == Dtype::fp32 || arithmetic == Dtype::tf32;
}

Weights default_weights(const Network& network, std::optional<Dtype> arithmetic) {
  if (arithmetic && is_wide(*arithmetic)) return Weights::full;
  if (std::holds_alternative<models::ConvNet>(network)) return Weights::amp;
  return std::get<models::Transformer>(network).encoder ? Weights::amp : Weights::mixed;
}

Dtype default_arithmetic(const Network& network, Weights weights) {
  if (weights == Weights::full) return Dtype::tf32;
  return std::holds_alternative<models::ConvNet>(network) ? Dtype::fp16 : Dtype::bf16;
}

Dtype default_gradients(const Settings& settings) {
  const bool wide = settings.weights == Weights::amp || settings.weights == Weights::full;
  return wide ? Dtype::fp32 : Dtype::bf16;
}

/// Encoders of that time materialise their scores.
AttentionKernel default_attention(const Network& network) {
  const auto* model = std::get_if<models::Transformer>(&network);
  return model != nullptr && model->encoder ? AttentionKernel::unfused : AttentionKernel::flash;
}

std::int64_t default_seq_len(const Network& network) {
  const auto* model = std::get_if<models::Transformer>(&network);
  if (model == nullptr) return 1;
  return std::min<std::int64_t>(2048, model->max_positions);
}

}  // namespace

SettingsWords SettingsWords::over(const SettingsWords& common) const {
  SettingsWords merged = *this;
  const auto fill = [](auto& own, const auto& other) {
    if (!own) own = other;
  };
  fill(merged.method, common.method);
  fill(merged.weights, common.weights);
  fill(merged.arithmetic, common.arithmetic);
  fill(merged.gradients, common.gradients);
  fill(merged.optimizer, common.optimizer);
  fill(merged.fused_optimizer, common.fused_optimizer);
  fill(merged.seq_len, common.seq_len);
  fill(merged.micro_batch, common.micro_batch);
  fill(merged.grad_accum, common.grad_accum);
  fill(merged.recompute, common.recompute);
  fill(merged.attention, common.attention);
  fill(merged.offload, common.offload);
  fill(merged.rank, common.rank);
  fill(merged.targets, common.targets);
  fill(merged.dropout, common.dropout);
  fill(merged.embeddings, common.embeddings);
  fill(merged.double_quantisation, common.double_quantisation);
  return merged;
}

SettingsWords read_settings_words(ObjectReader& object) {
  SettingsWords words;
  words.method = word(object, "method", "method", {Method::full, Method::lora, Method::qlora});
  words.weights = word(object, "weights", "way to keep weights",
                       {Weights::mixed, Weights::amp, Weights::pure, Weights::full});
  words.arithmetic = dtype_word(object, "arithmetic",
                                {Dtype::bf16, Dtype::fp16, Dtype::fp8, Dtype::tf32, Dtype::fp32});
  words.gradients = dtype_word(object, "gradients", {Dtype::bf16, Dtype::fp16, Dtype::fp32});
  words.optimizer = word(object, "optimizer", "optimizer",
                         {Optimizer::adamw, Optimizer::adamw_8bit, Optimizer::adamw_8bit_paged,
                          Optimizer::sgd, Optimizer::sgd_momentum});
  words.fused_optimizer = object.flag("fused_optimizer");
  words.seq_len = count_from(object, "seq_len", 1, 100'000'000);
  words.micro_batch = count_from(object, "micro_batch", 1, 1'000'000);
  words.grad_accum = count_from(object, "grad_accum", 1, 1'000'000);
  words.recompute = word(object, "recompute", "amount of recompute",
                         {Recompute::none, Recompute::selective, Recompute::full});
  words.attention = word(object, "attention", "attention kernel",
                         {AttentionKernel::flash, AttentionKernel::unfused});
  words.offload = word(object, "offload", "part to offload",
                       {Offload::none, Offload::optimizer, Offload::params});
  if (auto adapters = object.object("adapters")) read_adapters(*adapters, words);
  words.double_quantisation = object.flag("double_quantisation");
  return words;
}

Settings settings_from(const SettingsWords& words, const Network& network) {
  const bool convolutions = std::holds_alternative<models::ConvNet>(network);
  Settings settings;
  settings.method = words.method.value_or(settings.method);
  settings.weights = words.weights.value_or(default_weights(network, words.arithmetic));
  settings.arithmetic = words.arithmetic.value_or(default_arithmetic(network, settings.weights));
  settings.gradients = words.gradients.value_or(default_gradients(settings));
  settings.optimizer =
      words.optimizer.value_or(convolutions ? Optimizer::sgd_momentum : Optimizer::adamw);
  settings.fused_optimizer = words.fused_optimizer.value_or(false);
  settings.seq_len = words.seq_len.value_or(default_seq_len(network));
  settings.micro_batch = words.micro_batch.value_or(1);
  settings.grad_accum = words.grad_accum.value_or(1);
  settings.recompute = words.recompute.value_or(Recompute::none);
  settings.attention = words.attention.value_or(default_attention(network));
  settings.offload = words.offload.value_or(Offload::none);
  settings.adapters.rank = words.rank.value_or(settings.adapters.rank);
  settings.adapters.targets = words.targets.value_or(settings.adapters.targets);
  settings.adapters.dropout = words.dropout.value_or(settings.adapters.dropout);
  settings.adapters.embeddings = words.embeddings.value_or(false);
  settings.base.double_quantisation = words.double_quantisation.value_or(true);
  return settings;
}

std::optional<SettingsProblem> settings_problem(const SettingsWords& words,
                                                const Settings& settings) {
  const std::string contradiction = "contradiction";
  const bool adapters = settings.method != Method::full;
  if (!adapters && (words.rank || words.targets || words.dropout || words.embeddings)) {
    return SettingsProblem{"adapters belong to the methods lora and qlora", contradiction};
  }
  if (settings.method != Method::qlora && words.double_quantisation) {
    return SettingsProblem{"double_quantisation belongs to the method qlora", contradiction};
  }
  if (is_wide(settings.arithmetic) != (settings.weights == Weights::full)) {
    return SettingsProblem{
        fmt::format("arithmetic in {} needs weights \"full\", and the other way round",
                    gpucap::name(settings.arithmetic)),
        contradiction};
  }
  if (settings.fused_optimizer && settings.grad_accum > 1) {
    return SettingsProblem{"a fused optimizer keeps no gradients, so it cannot accumulate them",
                           contradiction};
  }
  return std::nullopt;
}

}  // namespace gpucap::scenario
