#include "gathered.hpp"

#include <algorithm>

#include "states.hpp"

namespace gpucap::training {
namespace {

constexpr double narrow = 2;  // bytes of a weight in the arithmetic of products

bool gathers(const Question& question) {
  if (question.settings.offload == Offload::params) return true;
  return question.layout.zero == 3 && shards(question.layout) > 1;
}

}  // namespace

Bytes gathered_weights(const Question& question, const models::Stage& stage,
                       const RankParameters& count) {
  if (!gathers(question)) return {};
  const auto& settings = question.settings;
  const auto& memory = question.software.memory;
  const double width = settings.weights == Weights::full ? 4 : narrow;
  const double in_matrix = settings.method == Method::qlora ? frozen_matrix_bytes(settings) : width;
  const double layers = count.matrices * in_matrix + count.other * width;
  const double two = layers * std::min(1.0, 2.0 / static_cast<double>(stage.layers));
  // Gradients of a shard are summed whole before they are scattered.
  const bool whole_gradient =
      settings.method == Method::full || (memory.mixed_shards && settings.method == Method::lora);
  const double gradient = whole_gradient ? two / 2 : 0;
  const double alive = std::min(memory.live_parameters * width, layers);
  return (two + gradient + count.tables * width + alive) * unit::byte;
}

Bytes narrowed_weights(const Question& question, const RankParameters& count) {
  const bool copies = question.settings.weights == Weights::amp &&
                      question.settings.method == Method::full && question.layout.zero < 3;
  return copies ? count.base() * narrow * unit::byte : Bytes{};
}

Bytes widened_matrix(const Question& question, const RankParameters& count) {
  if (question.settings.method != Method::qlora) return {};
  return count.largest_matrix * narrow * unit::byte;
}

}  // namespace gpucap::training
