#include "model_flops.hpp"

#include <algorithm>

#include "adapter_targets.hpp"
#include "attention_pass.hpp"

namespace gpucap::training {
namespace {

/// Tokens that one sees on average, in all attending layers together.
double seen_by_token(const models::Transformer& model, double s) {
  const auto attending = static_cast<double>(models::attending_layers(model));
  if (model.encoder) return attending * s;
  const auto windowed = model.sliding_window ? static_cast<double>(model.sliding_layers) : 0.0;
  const double window = std::min(s, static_cast<double>(model.sliding_window.value_or(1)));
  return (attending - windowed) * s / 2 + windowed * window * (1 - window / (2 * s));
}

double attention_forward(const Question& question, const models::Transformer& model) {
  const perf::AttentionShape shape = training_attention(model, 1);
  const auto per_pair = static_cast<double>(2 * shape.heads * (shape.qk_dim + shape.v_dim));
  return per_pair * seen_by_token(model, static_cast<double>(question.settings.seq_len));
}

double adapter_weights(const Question& question, const models::Transformer& model) {
  const Adapters& adapters = question.settings.adapters;
  const models::Stage whole = models::pipeline_stages(model, 1).front();
  double numbers = 0;
  for (const AdapterTarget& target : adapter_targets(model, whole, 1, adapters.targets)) {
    numbers += static_cast<double>(adapters.rank * (target.in + target.out) * target.count);
  }
  return numbers;
}

}  // namespace

TokenFlops token_flops(const Question& question, const models::Transformer& model) {
  const auto weights = static_cast<double>(models::matmul_parameters(model));
  const double attention = attention_forward(question, model);
  const bool full = question.settings.method == Method::full;
  const double adapters = full ? 0 : adapter_weights(question, model);
  const double counted = (full ? 6 : 4) * weights + 6 * adapters + 3 * attention;
  double again = 0;
  if (question.settings.recompute == Recompute::full) {
    const double head = model.encoder ? 0 : static_cast<double>(model.vocab * model.hidden);
    again = 2 * (weights - head + adapters) + attention;
  } else if (question.settings.recompute == Recompute::selective &&
             question.settings.attention == AttentionKernel::unfused) {
    again = attention;
  }
  return {counted * unit::flop, (counted + again) * unit::flop};
}

}  // namespace gpucap::training
