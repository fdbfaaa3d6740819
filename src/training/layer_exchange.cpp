#include "layer_exchange.hpp"

#include <algorithm>

#include "states.hpp"

namespace gpucap::training {
namespace {

using perf::Work;

class LayerExchange {
 public:
  LayerExchange(Exchange& exchange, const Question& question, const models::Transformer& model)
      : exchange_(&exchange),
        question_(&question),
        model_(&model),
        width_(activation_bytes(question.settings)),
        tokens_(static_cast<double>(question.settings.micro_batch * question.settings.seq_len /
                                    question.layout.context)),
        recomputes_(question.settings.recompute == Recompute::full) {}

  [[nodiscard]] Work tensor(const models::Stage& stage) const {
    const Layout& layout = question_->layout;
    if (layout.tensor == 1) return {};
    const double in_layers = (recomputes_ ? 6.0 : 4.0) * static_cast<double>(stage.layers);
    const int at_ends = (stage.first ? 1 : 0) + (stage.last ? 1 : 0);
    const Group group = tensor_group(layout);
    Work once;
    if (layout.sequence_parallel) {
      once = exchange_->all_gather(group, hidden_state());
      once += exchange_->reduce_scatter(group, hidden_state());
    } else {
      once = exchange_->all_reduce(group, hidden_state());
    }
    return once.times(in_layers + at_ends);
  }

  /// What the ring shows beyond the attention that it runs beside.
  [[nodiscard]] Work context(const models::Stage& stage, const StagePass& pass) const {
    const Layout& layout = question_->layout;
    if (layout.context == 1) return {};
    const perf::AttentionShape shape = training_attention(*model_, layout.tensor);
    const Bytes held = shape.kv_bytes_per_token * tokens_ * unit::byte;
    const double sends = static_cast<double>((layout.context - 1) * stage.attending);
    const Work round = exchange_->send(context_group(layout), held).times(sends);
    Work forward = beyond(round, pass.attention_forward);
    if (recomputes_) forward = forward.times(2);
    forward += beyond(round.times(2), pass.attention_backward);
    return forward;
  }

  [[nodiscard]] Work experts(const models::Stage& stage) const {
    const Layout& layout = question_->layout;
    if (layout.expert == 1 || stage.sparse == 0) return {};
    const auto copies = static_cast<double>(model_->experts->per_token);
    const double times = (recomputes_ ? 6.0 : 4.0) * static_cast<double>(stage.sparse);
    return exchange_->all_to_all(expert_group(layout), hidden_state() * copies).times(times);
  }

  [[nodiscard]] Work stages() const {
    const Layout& layout = question_->layout;
    if (layout.pipeline == 1) return {};
    const Bytes sent = layout.sequence_parallel ? hidden_state() / layout.tensor : hidden_state();
    return exchange_->send(stage_group(layout), sent).times(2.0 * layout.interleave);
  }

 private:
  [[nodiscard]] Bytes hidden_state() const {
    return width_ * tokens_ * static_cast<double>(model_->hidden) * unit::byte;
  }

  [[nodiscard]] static Work beyond(const Work& ring, Seconds attention) {
    const Seconds time = ring.time();
    if (time <= Seconds{}) return ring;
    return ring.slowed(std::max(Seconds{}, time - attention) / time);
  }

  Exchange* exchange_;
  const Question* question_;
  const models::Transformer* model_;
  double width_, tokens_;
  bool recomputes_;
};

/// Bytes of a weight of a matrix, and of another one, as they are gathered.
struct Widths {
  double matrix = 2, other = 2;
};

Widths widths(const Settings& settings) {
  const double other = settings.weights == Weights::full ? 4 : 2;
  return {settings.method == Method::qlora ? frozen_matrix_bytes(settings) : other, other};
}

}  // namespace

Work layer_exchange(Exchange& exchange, const Question& question, const models::Transformer& model,
                    const models::Stage& stage, const StagePass& pass) {
  const LayerExchange layers(exchange, question, model);
  Work work = layers.tensor(stage);
  work += layers.context(stage, pass);
  work += layers.experts(stage);
  work += layers.stages();
  return work;
}

DataTraffic weight_exchange(Exchange& exchange, const Question& question,
                            const models::Stage& stage, const RankWeights& weights) {
  const Layout& layout = question.layout;
  const Settings& settings = question.settings;
  const bool full = settings.method == Method::full;
  SharedWeights shared;
  shared.gradient_bytes = bits(settings.gradients) / 8.0;
  shared.messages = static_cast<double>(stage.layers);
  const bool whole = full || layout.zero == 3;  // else adapters alone travel
  const Widths width = widths(settings);
  const double dense_matrices = weights.matrices - weights.experts;
  shared.trained = full ? weights.dense : weights.adapters - weights.expert_adapters;
  shared.gathered =
      whole ? (width.matrix * dense_matrices + width.other * (weights.dense - dense_matrices)) *
                  unit::byte
            : 2 * shared.trained * unit::byte;
  const Group all{layout.data * layout.context, layout.tensor};
  DataTraffic traffic = data_traffic(exchange, all, layout.zero, shared);
  if (weights.experts == 0) return traffic;
  shared.trained = weights.trained_in_experts(settings.method);
  shared.gathered =
      whole ? width.matrix * weights.experts * unit::byte : 2 * shared.trained * unit::byte;
  const Group same{all.ranks / layout.expert, all.stride * layout.expert};
  traffic += data_traffic(exchange, same, layout.zero, shared);
  return traffic;
}

}  // namespace gpucap::training
