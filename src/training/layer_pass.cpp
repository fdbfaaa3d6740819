#include "layer_pass.hpp"

#include <cmath>

#include "adapter_targets.hpp"
#include "kernel_sum.hpp"
#include "states.hpp"
#include "streams.hpp"

namespace gpucap::training {
namespace {

using perf::Work;
using Precision = Products::Precision;

AttentionPass windowed_pass(const Question& question, const Products& products,
                            const models::Transformer& model) {
  if (!model.sliding_window || model.sliding_layers == 0) return {};
  return attention_pass(question, products, model, *model.sliding_window);
}

}  // namespace

Seconds StagePass::time() const {
  const double kernels = work().time().base();
  return Seconds::from_base(std::cbrt(std::pow(kernels, 3) + std::pow(host.base(), 3)));
}

LayerPass::LayerPass(const Question& question, const models::Transformer& model)
    : question_(&question),
      model_(&model),
      tokens_(question.settings.micro_batch * question.settings.seq_len / question.layout.context),
      trains_weights_(question.settings.method == Method::full),
      recomputes_(question.settings.recompute == Recompute::full),
      products_(question, model),
      attention_(attention_pass(question, products_, model, 0)),
      windowed_(windowed_pass(question, products_, model)) {}

StagePass LayerPass::operator()(const models::Stage& stage) const {
  StagePass pass;
  add_products(stage, pass);
  if (!trains_weights_) add_adapters(stage, pass);
  if (stage.sparse > 0) add_experts(stage, pass);
  add_attention(stage, pass);
  add_streams(stage, pass);
  if (recomputes_) pass.recompute += pass.forward;
  add_weight_traffic(stage, pass);
  if (stage.last && !model_->encoder) add_head(pass);

  const Software::Time& time = question_->software.time;
  Seconds launch = time.launch_per_layer;
  if (question_->settings.method == Method::qlora) launch += time.launch_quantised;
  if (question_->layout.zero == 3) launch += time.launch_sharded;
  pass.host = launch * static_cast<double>(stage.layers * passes());
  return pass;
}

int LayerPass::passes() const {
  return recomputes_ ? 3 : 2;
}

/// Forward [T, k] x [k, n], gradient of the input [T, n] x [n, k], of the weights [n, T] x [T, k].
void LayerPass::add_products(const models::Stage& stage, StagePass& pass) const {
  for (const models::Gemm& one : models::layer_gemms(*model_, stage, question_->layout.tensor)) {
    const auto count = static_cast<double>(one.count);
    pass.forward += products_(tokens_, one.n, one.k).times(count);
    pass.backward += products_(tokens_, one.k, one.n).times(count);
    if (trains_weights_) pass.backward += products_(one.n, one.k, tokens_).times(count);
  }
}

void LayerPass::add_head(StagePass& pass) const {
  const models::Gemm head = models::head_gemm(*model_, question_->layout.tensor);
  const StreamBytes logits = head_streams(*model_, *question_);
  pass.forward += products_(tokens_, head.n, head.k, Precision::wide);
  pass.forward += stream(logits.forward, 1);
  pass.backward += products_(tokens_, head.k, head.n, Precision::wide);
  pass.backward += stream(logits.backward, 1);
  if (trains_weights_ || question_->settings.adapters.embeddings) {
    pass.backward += products_(head.n, head.k, tokens_, Precision::wide);
  }
}

/// Two narrow products forward, four backward. Beside them the input is dropped (read, written),
/// the sum read twice and written, and the gradient of the input summed up.
void LayerPass::add_adapters(const models::Stage& stage, StagePass& pass) const {
  const Adapters& adapters = question_->settings.adapters;
  const std::int64_t r = adapters.rank;
  const double width = activation_bytes(question_->settings);
  for (const AdapterTarget& target :
       adapter_targets(*model_, stage, question_->layout.tensor, adapters.targets)) {
    const auto count = static_cast<double>(target.count);
    const auto in = static_cast<double>(target.in) * unit::byte;
    const auto out = static_cast<double>(target.out) * unit::byte;
    pass.forward += products_(tokens_, r, target.in, Precision::wide).times(count);
    pass.forward += products_(tokens_, target.out, r, Precision::wide).times(count);
    pass.backward += products_(tokens_, r, target.out, Precision::wide).times(count);
    pass.backward += products_(tokens_, target.in, r, Precision::wide).times(count);
    pass.backward += products_(target.out, r, tokens_, Precision::wide).times(count);
    pass.backward += products_(r, target.in, tokens_, Precision::wide).times(count);
    pass.forward += stream(width * ((adapters.dropout ? 2 : 0) * in + 3 * out), count);
    pass.backward += stream(width * 3 * in, count);
  }
}

/// Each rank has its share of the experts and the tokens that chose them, as many as it gave away.
void LayerPass::add_experts(const models::Stage& stage, StagePass& pass) const {
  const models::Experts& moe = *model_->experts;
  const Layout& layout = question_->layout;
  perf::ExpertShape shape{tokens_ * layout.expert, model_->hidden, moe.ffn / layout.tensor,
                          moe.routed, moe.per_token};
  shape.share = 1.0 / layout.expert;
  const Work one = products_.experts(shape).times(static_cast<double>(stage.sparse));
  pass.forward += one;
  pass.backward += trains_weights_ ? one.times(2) : one;
}

void LayerPass::add_attention(const models::Stage& stage, StagePass& pass) const {
  const auto windowed = static_cast<double>(stage.sliding);
  const auto whole = static_cast<double>(stage.attending - stage.sliding);
  Work forward = attention_.forward.times(whole);
  forward += windowed_.forward.times(windowed);
  Work backward = attention_.backward.times(whole);
  backward += windowed_.backward.times(windowed);
  pass.attention_forward = forward.time();
  pass.attention_backward = backward.time();
  pass.forward += forward;
  pass.backward += backward;
  const Settings& settings = question_->settings;
  const bool again =
      settings.recompute == Recompute::selective && settings.attention == AttentionKernel::unfused;
  if (again) pass.recompute += forward;
}

void LayerPass::add_streams(const models::Stage& stage, StagePass& pass) const {
  const auto dense = static_cast<double>(stage.layers - stage.sparse);
  const auto sparse = static_cast<double>(stage.sparse);
  const StreamBytes plain = layer_streams(*model_, *question_, false);
  pass.forward += stream(plain.forward, dense);
  pass.backward += stream(plain.backward, dense);
  if (sparse == 0) return;
  const StreamBytes routed = layer_streams(*model_, *question_, true);
  pass.forward += stream(routed.forward, sparse);
  pass.backward += stream(routed.backward, sparse);
}

/// Weights themselves: widening a 4-bit base in every pass (read small, written wide); narrowing
/// fp32 weights for the products of a micro-batch; adding gradients of micro-batches up.
void LayerPass::add_weight_traffic(const models::Stage& stage, StagePass& pass) const {
  const Settings& settings = question_->settings;
  const hardware::Gpu& gpu = question_->node.gpu;
  const RankWeights weights = rank_weights(*question_, *model_, stage);
  if (settings.method == Method::qlora) {
    const double moved = (frozen_matrix_bytes(settings) + 2) * question_->software.time.widening;
    const Work widened = streamed(moved * weights.matrices * unit::byte, gpu.memory_bandwidth);
    pass.forward += widened;
    pass.backward += widened;
    if (recomputes_) pass.recompute += widened;
  }
  if (!trains_weights_) return;
  const Bandwidth rate = question_->calibration.gemm.eb * gpu.memory_bandwidth;
  const double numbers = weights.trained(settings.method);
  if (settings.weights == Weights::amp && question_->layout.zero < 3) {
    pass.forward += streamed((4 + 2) * numbers * unit::byte, rate);
  }
  if (settings.grad_accum > 1) {
    pass.backward += streamed(bits(settings.gradients) / 8.0 * numbers * unit::byte, rate);
  }
}

Work LayerPass::stream(Bytes per_token, double layers) const {
  const Bytes moved = per_token * (static_cast<double>(tokens_) * layers);
  return streamed(moved * question_->software.time.streams, question_->node.gpu.memory_bandwidth);
}

}  // namespace gpucap::training
