#include "gpucap/training/exchange.hpp"
#include "gpucap/training/question.hpp"

#include <fmt/format.h>

namespace gpucap::training {
namespace {

std::optional<std::string> count_problem(const Question& question) {
  const Layout& layout = question.layout;
  for (const int degree : {layout.data, layout.tensor, layout.pipeline, layout.context,
                           layout.expert, layout.interleave}) {
    if (degree < 1) return "every degree of parallelism is at least 1";
  }
  if (layout.cards() != question.node.count) {
    return fmt::format("data {} x tensor {} x pipeline {} x context {} makes {} cards, not {}",
                       layout.data, layout.tensor, layout.pipeline, layout.context, layout.cards(),
                       question.node.count);
  }
  return std::nullopt;
}

std::optional<std::string> machines_problem(const plan::Node& node) {
  const int cards = cards_per_machine(node);
  if (node.count <= cards || (node.host.layout.nic && node.host.layout.nics > 0)) {
    return std::nullopt;
  }
  return fmt::format("{} cards are more than the {} of {}, which has no NICs to join machines",
                     node.count, cards, node.host.id);
}

std::optional<std::string> transformer_problem(const models::Transformer& model,
                                               const Layout& layout, const Settings& settings) {
  if (auto problem = models::tensor_parallel_problem(model, layout.tensor)) return problem;
  if (auto problem = models::pipeline_parallel_problem(model, layout.pipeline)) return problem;
  if (model.layers < std::int64_t{layout.pipeline} * layout.interleave) {
    return fmt::format("{} layers cannot be cut into {} stages of {} chunks", model.layers,
                       layout.pipeline, layout.interleave);
  }
  if (layout.interleave > 1 && layout.pipeline == 1) return "only a pipeline can be interleaved";
  if (settings.seq_len % layout.context != 0) {
    return fmt::format("{} tokens cannot be cut into {} equal parts", settings.seq_len,
                       layout.context);
  }
  if (layout.expert > 1 && !model.experts) {
    return fmt::format("{} has no routed experts to deal out", model.id);
  }
  if (model.experts && model.experts->routed % layout.expert != 0) {
    return fmt::format("{} experts cannot be dealt out over {} ranks", model.experts->routed,
                       layout.expert);
  }
  if (layout.data % layout.expert != 0) {
    return fmt::format("expert parallelism over {} ranks must divide the {} data-parallel ranks",
                       layout.expert, layout.data);
  }
  if (settings.seq_len > model.max_positions && model.learned_positions) {
    return fmt::format("{} has positions for {} tokens, not for {}", model.id, model.max_positions,
                       settings.seq_len);
  }
  return std::nullopt;
}

std::optional<std::string> arithmetic_problem(const hardware::Gpu& gpu, Dtype arithmetic) {
  if (gpu.computes_in(arithmetic)) return std::nullopt;
  return fmt::format("{} has no {} arithmetic", gpu.id, name(arithmetic));
}

std::optional<std::string> conv_net_problem(const Question& question) {
  const Settings& settings = question.settings;
  if (question.layout.cards() != question.layout.data) {
    return "a convolution net is only trained data-parallel";
  }
  if (settings.method != Method::full) return "a convolution net has no adapters";
  if (settings.recompute == Recompute::full || settings.offload != Offload::none) {
    return "recompute and offload are known for transformers only";
  }
  if (bits(settings.arithmetic) < 16) {
    return fmt::format("a convolution net is trained in 16 or 32 bits, not in {}",
                       name(settings.arithmetic));
  }
  if (!question.software.convolutions) {
    return fmt::format("training software {} has no figures for convolution nets",
                       question.software.id);
  }
  return std::nullopt;
}

std::optional<std::string> sharding_problem(const Layout& layout) {
  if (layout.zero < 0 || layout.zero > 3) return "ZeRO stages are 0 to 3";
  if (layout.zero >= 2 && layout.pipeline > 1) {
    return fmt::format("ZeRO-{} shards gradients, which pipeline stages accumulate: use ZeRO-1",
                       layout.zero);
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> layout_problem(const Question& question) {
  if (auto problem = count_problem(question)) return problem;
  if (auto problem = machines_problem(question.node)) return problem;
  if (auto problem = sharding_problem(question.layout)) return problem;
  const auto* model = std::get_if<models::Transformer>(&question.network);
  auto problem = model == nullptr ? conv_net_problem(question)
                                  : transformer_problem(*model, question.layout, question.settings);
  if (problem) return problem;
  return arithmetic_problem(question.node.gpu, question.settings.arithmetic);
}

}  // namespace gpucap::training
