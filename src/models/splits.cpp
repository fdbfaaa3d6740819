#include "gpucap/models/transformer.hpp"

#include <algorithm>

#include "matrices.hpp"
#include <fmt/format.h>

namespace gpucap::models {
namespace {
using MaybeText = std::optional<std::string>;

MaybeText uneven(std::int64_t whole, const char* what, int cards) {
  if (whole % cards == 0) return std::nullopt;
  return fmt::format("{} {} cannot be split over {} cards", whole, what, cards);
}

MaybeText attention_problem(const Transformer& m, int cards) {
  if (auto problem = uneven(m.heads, "heads", cards)) return problem;
  // Fewer KV heads than cards are replicated, each the same number of times.
  if (!m.latent && m.kv_heads > 0 && m.kv_heads % cards != 0 && cards % m.kv_heads != 0) {
    return fmt::format("{} KV heads can neither be split nor replicated over {} cards", m.kv_heads,
                       cards);
  }
  if (!m.recurrent) return std::nullopt;
  if (auto problem = uneven(m.recurrent->key_heads, "recurrent key heads", cards)) return problem;
  return uneven(m.recurrent->value_heads, "recurrent value heads", cards);
}

MaybeText mlp_problem(const Transformer& m, int cards, bool expert_parallel) {
  if (!m.experts || m.experts->dense_layers > 0) {
    if (auto problem = uneven(m.ffn, "MLP columns", cards)) return problem;
  }
  if (!m.experts) return std::nullopt;
  if (expert_parallel) {
    if (m.experts->routed < cards) {
      return fmt::format("{} experts cannot be dealt out over {} cards", m.experts->routed, cards);
    }
  } else if (auto problem = uneven(m.experts->ffn, "columns of an expert", cards)) {
    return problem;
  }
  return uneven(m.experts->shared_ffn, "columns of the shared experts", cards);
}

MaybeText group_problem(const std::string& name, std::int64_t size, const WeightFormat& format) {
  if (size % format.group == 0) return std::nullopt;
  return fmt::format("{} of {} weights on a card do not hold whole scale groups of {} ({})", name,
                     size, format.group, format.name);
}

}  // namespace

std::optional<std::string> tensor_parallel_problem(const Transformer& model, int tensor_parallel,
                                                   bool expert_parallel) {
  if (tensor_parallel < 1) return "tensor parallelism needs at least 1 card";
  if (auto problem = attention_problem(model, tensor_parallel)) return problem;
  if (expert_parallel && !model.experts) return model.id + " has no experts to deal out";
  return mlp_problem(model, tensor_parallel, expert_parallel);
}

std::optional<std::string> tensor_parallel_problem(const Transformer& model,
                                                   const WeightFormat& format, int tensor_parallel,
                                                   bool expert_parallel) {
  if (auto problem = tensor_parallel_problem(model, tensor_parallel, expert_parallel)) {
    return problem;
  }
  // A tensor that is whole on each rank may end in a part of a group; only a cut may not.
  if (format.group == 0 || tensor_parallel == 1) return std::nullopt;
  const bool dense = !model.experts || model.experts->dense_layers > 0;
  if (dense && !format.experts_only) {
    const auto problem = group_problem("MLP rows", share(model.ffn, tensor_parallel), format);
    if (problem) return problem;
  }
  if (!model.experts || expert_parallel) return std::nullopt;
  return group_problem("expert rows", share(model.experts->ffn, tensor_parallel), format);
}

std::optional<std::string> pipeline_parallel_problem(const Transformer& model,
                                                     int pipeline_parallel) {
  if (pipeline_parallel < 1) return "pipeline parallelism needs at least 1 stage";
  if (pipeline_parallel <= model.layers) return std::nullopt;
  return fmt::format("{} layers cannot fill {} pipeline stages", model.layers, pipeline_parallel);
}

std::vector<Stage> pipeline_stages(const Transformer& model, int pipeline_parallel) {
  const auto left_over = model.layers % pipeline_parallel;
  const auto attending = attending_layers(model);
  const auto dense = model.experts ? model.experts->dense_layers : model.layers;
  std::vector<Stage> stages;
  std::int64_t begin = 0;
  for (std::int64_t i = 0; i < pipeline_parallel; ++i) {
    const auto back = pipeline_parallel - 1 - i;  // 0 is the last stage
    const bool one_more = back >= 1 && back <= left_over;
    Stage stage;
    stage.layers = model.layers / pipeline_parallel + (one_more ? 1 : 0);
    const auto end = begin + stage.layers;
    stage.attending = end * attending / model.layers - begin * attending / model.layers;
    stage.recurrent = stage.layers - stage.attending;
    stage.sliding =
        end * model.sliding_layers / model.layers - begin * model.sliding_layers / model.layers;
    stage.dense = std::min(end, dense) - std::min(begin, dense);
    stage.sparse = stage.layers - stage.dense;
    stage.first = i == 0;
    stage.last = back == 0;
    stages.push_back(stage);
    begin = end;
  }
  return stages;
}

}  // namespace gpucap::models
