#include "gpucap/training/step.hpp"

#include "gpucap/training/conv_net.hpp"
#include "gpucap/training/exchange.hpp"
#include "gpucap/training/optimizer.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "kernel_sum.hpp"
#include "layer_exchange.hpp"
#include "layer_pass.hpp"
#include "model_flops.hpp"
#include "rank_parameters.hpp"
#include "rank_weights.hpp"
#include "states.hpp"
#include "step_notes.hpp"

namespace gpucap::training {
namespace {

using perf::Cause;
using perf::Work;

/// One stage at its work for a micro-batch.
struct StageCost {
  models::Stage stage;
  StagePass pass;
  Work exchange;  ///< inside its layers
  [[nodiscard]] Seconds time() const { return pass.time() + exchange.time(); }
};

bool same_work(const models::Stage& a, const models::Stage& b) {
  return a.layers == b.layers && a.attending == b.attending && a.sliding == b.sliding &&
         a.dense == b.dense && a.first == b.first && a.last == b.last;
}

/// The stage that all others wait for.
StageCost slowest_stage(const Question& question, const models::Transformer& model,
                        Exchange& exchange) {
  const LayerPass price(question, model);
  std::optional<StageCost> slowest;
  std::optional<models::Stage> last;
  for (const models::Stage& stage : models::pipeline_stages(model, question.layout.pipeline)) {
    if (last && same_work(*last, stage)) continue;
    last = stage;
    StageCost cost{stage, price(stage), {}};
    cost.exchange = layer_exchange(exchange, question, model, stage, cost.pass);
    if (!slowest || cost.time() > slowest->time()) slowest = std::move(cost);
  }
  return *slowest;
}

/// Adds up the parts of one rank's step.
class StepSum {
 public:
  StepSum(const Question& question, const StageCost& cost, const RankWeights& weights)
      : question_(&question),
        cost_(&cost),
        weights_(weights),
        micro_batches_(static_cast<double>(question.settings.grad_accum)) {}

  StepTime operator()(Exchange& exchange) {
    add_compute();
    add_exchange(exchange);
    add_bubble();
    add_update();
    add_offload();
    add_straggle();
    step_.time = step_.compute + step_.communication + step_.optimizer + step_.bubble +
                 step_.offload + step_.straggle;
    return step_;
  }

 private:
  void add_compute() {
    const StagePass& pass = cost_->pass;
    const Seconds kernels = pass.work().time();
    const Seconds time = pass.time();
    step_.compute = time * micro_batches_;
    // The host's share is that of the kernels that wait for it; without kernels there is none.
    const double stretch = kernels > Seconds{} ? time / kernels * micro_batches_ : 0;
    step_.forward = pass.forward.time() * stretch;
    step_.backward = pass.backward.time() * stretch;
    step_.recompute = pass.recompute.time() * stretch;
    step_.work += pass.work().times(micro_batches_);
    step_.work += waiting(Cause::host, (time - kernels) * micro_batches_);
  }

  void add_exchange(Exchange& exchange) {
    const DataTraffic traffic = weight_exchange(exchange, *question_, cost_->stage, weights_);
    add_link(cost_->exchange.times(micro_batches_), cost_->exchange.time() * micro_batches_);
    const Seconds window = cost_->pass.time();
    add_link(traffic.per_micro_batch.times(micro_batches_),
             shown(traffic.per_micro_batch, window) * micro_batches_);
    add_link(traffic.per_step, shown(traffic.per_step, window));
  }

  [[nodiscard]] Seconds shown(const Work& work, Seconds window) const {
    return exposed(work.time(), question_->software.time.exchange_overlap, window);
  }

  void add_link(const Work& work, Seconds visible) {
    step_.communication += visible;
    step_.work += link_work(visible, work.link_bytes);
  }

  /// 1F1B: (p - 1) micro-batches of waiting, 1/v of them with v chunks a stage.
  void add_bubble() {
    const Layout& layout = question_->layout;
    step_.bubble = cost_->time() * ((layout.pipeline - 1.0) / layout.interleave);
    step_.work += waiting(Cause::queue, step_.bubble);
  }

  void add_update() {
    const Settings& settings = question_->settings;
    const double trained = weights_.trained(settings.method);
    const double share =
        question_->layout.zero >= 1
            ? kept_share(trained, weights_.trained_in_experts(settings.method), question_->layout)
            : 1;
    const Update update = weight_update(*question_, trained * share);
    const Seconds host = question_->software.time.per_step;
    step_.optimizer = update.time() + host;
    step_.work += update.card;
    step_.work += waiting(Cause::host, host);
    step_.work += waiting(Cause::link, update.copies);
  }

  /// Weights that live on the host come up for the forward and the backward pass.
  void add_offload() {
    const Settings& settings = question_->settings;
    if (settings.offload != Offload::params) return;
    const double narrow = frozen_matrix_bytes(settings);
    const double dense = weights_.matrices - weights_.experts;
    const double experts = narrow * weights_.experts;
    const double bytes = experts + narrow * dense + 2 * (weights_.dense - dense);
    const double share =
        question_->layout.zero == 3 ? kept_share(bytes, experts, question_->layout) : 1;
    const Seconds copies = 2 * bytes * share * unit::byte / host_link(*question_);
    step_.offload = exposed(copies, question_->software.time.exchange_overlap, cost_->pass.time()) *
                    micro_batches_;
    step_.work += waiting(Cause::link, step_.offload);
  }

  void add_straggle() {
    if (question_->software.time.straggle == 0) return;
    const double spread = question_->software.time.straggle * slowest_of(question_->layout.cards());
    step_.straggle = (step_.compute + step_.communication) * spread;
    step_.work += waiting(Cause::queue, step_.straggle);
  }

  const Question* question_;
  const StageCost* cost_;
  RankWeights weights_;
  double micro_batches_;
  StepTime step_;
};

void count(const Question& question, const models::Transformer& model, StepTime& step) {
  const Settings& settings = question.settings;
  step.samples = settings.micro_batch * settings.grad_accum * question.layout.data;
  step.tokens = step.samples * settings.seq_len;
  const TokenFlops flops = token_flops(question, model);
  step.model_flops = flops.model * static_cast<double>(step.tokens);
  step.hardware_flops = flops.hardware * static_cast<double>(step.tokens);
}

StepTime transformer_step(const Question& question, const models::Transformer& model,
                          CollectiveBook& book) {
  Exchange exchange(question, book);
  const StageCost slowest = slowest_stage(question, model, exchange);
  const RankWeights weights = rank_weights(question, model, slowest.stage);
  StepTime step = StepSum(question, slowest, weights)(exchange);
  count(question, model, step);
  step.relative_error = step_error(question, step, exchange.interval());
  step.notes = step_notes(question, model);
  return step;
}

}  // namespace

StepTime training_step(const Question& question) {
  CollectiveBook book(question.calibration, question.node.host);
  return training_step(question, book);
}

StepTime training_step(const Question& question, CollectiveBook& book) {
  if (const auto problem = layout_problem(question)) throw std::invalid_argument(*problem);
  if (const auto* net = std::get_if<models::ConvNet>(&question.network)) {
    return conv_net_step(question, *net);
  }
  return transformer_step(question, std::get<models::Transformer>(question.network), book);
}

}  // namespace gpucap::training
