#include "rank_weights.hpp"

#include "adapter_targets.hpp"

namespace gpucap::training {
namespace {

double adapter_numbers(const Question& question, const models::Transformer& model,
                       const models::Stage& stage) {
  const Adapters& adapters = question.settings.adapters;
  double numbers = 0;
  for (const AdapterTarget& target :
       adapter_targets(model, stage, question.layout.tensor, adapters.targets)) {
    numbers += static_cast<double>(adapters.rank * (target.in + target.out) * target.count);
  }
  if (!adapters.embeddings) return numbers;
  const double table = static_cast<double>(model.vocab * model.hidden) / question.layout.tensor;
  return numbers + ((stage.first ? 1 : 0) + (stage.last ? 1 : 0)) * table;
}

}  // namespace

RankWeights rank_weights(const Question& question, const models::Transformer& model,
                         const models::Stage& stage) {
  const int tensor = question.layout.tensor;
  RankWeights weights;
  const double all =
      models::weight_bytes_on_stage(model, models::WeightFormat{}, tensor, stage) / 2;
  double experts = 0;
  if (model.experts) {
    const models::Experts& moe = *model.experts;
    experts = static_cast<double>(stage.sparse * moe.routed * 3 * model.hidden * moe.ffn) / tensor;
  }
  weights.dense = all - experts;
  weights.experts = experts / question.layout.expert;
  for (const models::Gemm& one : models::layer_gemms(model, stage, tensor)) {
    if (one.quantised) weights.linear += static_cast<double>(one.n * one.k * one.count);
  }
  if (question.settings.method != Method::full) {
    weights.adapters = adapter_numbers(question, model, stage);
  }
  return weights;
}

double quantised_bytes(const QuantisedBase& base) {
  // NF4 with an fp32 scale per 64; quantised again: 8 bits each, an fp32 scale per 256 of those.
  const double scale = base.double_quantisation ? 1.0 / 64 + 4.0 / (64 * 256) : 4.0 / 64;
  return 0.5 + scale;
}

}  // namespace gpucap::training
