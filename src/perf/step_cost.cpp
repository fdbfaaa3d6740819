#include "gpucap/perf/step_cost.hpp"

#include "gpucap/perf/layer_work.hpp"

#include <algorithm>
#include <cmath>
#include <deque>

namespace gpucap::perf {
namespace {

using Wide = StepWork::Wide;

Wide whole(double value) {
  return static_cast<Wide>(std::nearbyint(value));
}

std::array<Ticks, cause_count> to_integers(const Work& work) {
  std::array<Ticks, cause_count> ticks;
  std::transform(work.by_cause.begin(), work.by_cause.end(), ticks.begin(),
                 [](Seconds part) { return to_ticks(part); });
  return ticks;
}

Ticks sum_of(const std::array<Ticks, cause_count>& parts) {
  Ticks sum;
  for (const Ticks part : parts) sum += part;
  return sum;
}

/// Applies the host: the GPU waits for a host that is slower, and every step has a gap.
void finish_with_host(StepWork& step, Ticks floor, Ticks gap) {
  constexpr auto host = static_cast<std::size_t>(Cause::host);
  if (step.time < floor) {
    step.by_cause = {};
    step.by_cause[host] = floor;
    step.time = floor;
  }
  step.by_cause[host] += gap;
  step.time += gap;
}

}  // namespace

struct StepCost::Compiled {
  explicit Compiled(const StepCostInputs& inputs)
      : layers(inputs),
        padding(*inputs.engine, inputs.max_num_seqs, inputs.max_num_batched_tokens),
        floor(to_ticks(
            inputs.engine->host.floor_per_layer *
            static_cast<double>(inputs.stage ? inputs.stage->layers : inputs.model->layers))),
        per_sequence(to_ticks(inputs.engine->host.per_sequence)) {
    // The scheduler waits for the last stage only.
    if (inputs.stage && !inputs.stage->last) return;
    gap = to_ticks(inputs.engine->host.gap);
    gap_per_sequence = to_ticks(inputs.engine->host.gap_per_sequence);
  }

  /// Token-count work of a batch, remembered by padded size.
  const Work& tokens(std::int64_t count) {
    const auto size = static_cast<std::size_t>(padding.padded(count));
    if (size >= token_work.size()) token_work.resize(size + 1);
    if (!token_work[size]) token_work[size] = layers.tokens(static_cast<std::int64_t>(size));
    return *token_work[size];
  }

  Decode compile(std::int64_t n);

  LayerWork layers;
  GraphPadding padding;
  Ticks floor, per_sequence, gap, gap_per_sequence;
  std::vector<std::optional<Work>> token_work;
  std::deque<std::optional<Decode>> decodes;  // which stay where they are when it grows
};

StepCost::Decode StepCost::Compiled::compile(std::int64_t n) {
  Work work = tokens(n);
  work += layers.sampled(n);
  const DecodeAttentionCost full = layers.decode_attention(n, false);
  const DecodeAttentionCost window = layers.decode_attention(n, true);
  work.by_cause[static_cast<std::size_t>(full.cause)] += full.fixed + window.fixed;

  Decode cost;
  cost.fixed = to_integers(work);
  cost.fixed_time = sum_of(cost.fixed);
  cost.per_sum = to_ticks(full.per_sum_token);
  cost.per_max = to_ticks(full.per_max_token);
  cost.per_sum_window = to_ticks(window.per_sum_token);
  cost.per_max_window = to_ticks(window.per_max_token);
  cost.attention = full.cause;
  cost.floor = floor + per_sequence * n;
  cost.gap = gap + gap_per_sequence * n;
  cost.flops = whole(work.flops.base());
  cost.bytes = whole(work.bytes.base());
  cost.link_bytes = whole(work.link_bytes.base());
  cost.flops_per_sum = whole(full.flops_per_token);
  cost.bytes_per_sum = whole(full.bytes_per_token);
  cost.flops_per_sum_window = whole(window.flops_per_token);
  cost.bytes_per_sum_window = whole(window.bytes_per_token);
  return cost;
}

StepCost::StepCost(const StepCostInputs& inputs) : compiled_(std::make_unique<Compiled>(inputs)) {}
StepCost::~StepCost() = default;
StepCost::StepCost(StepCost&&) noexcept = default;

const StepCost::Decode& StepCost::decode(std::int64_t n) const {
  auto& known = compiled_->decodes;
  const auto index = static_cast<std::size_t>(n);
  if (index >= known.size()) known.resize(index + 1);
  if (!known[index]) known[index] = compiled_->compile(n);
  return *known[index];
}

namespace {

StepWork decode_step(const StepCost::Decode& cost, const Batch& batch) {
  StepWork step;
  step.by_cause = cost.fixed;
  const Ticks attention = cost.per_sum * batch.sum_context + cost.per_max * batch.max_context +
                          cost.per_sum_window * batch.sum_window +
                          cost.per_max_window * batch.max_window;
  step.by_cause[static_cast<std::size_t>(cost.attention)] += attention;
  step.time = cost.fixed_time + attention;
  step.flops = cost.flops + cost.flops_per_sum * batch.sum_context +
               cost.flops_per_sum_window * batch.sum_window;
  step.bytes = cost.bytes + cost.bytes_per_sum * batch.sum_context +
               cost.bytes_per_sum_window * batch.sum_window;
  step.link_bytes = cost.link_bytes;
  finish_with_host(step, cost.floor, cost.gap);
  return step;
}

}  // namespace

StepWork StepCost::operator()(const Batch& batch) const {
  if (batch.chunks.empty()) return decode_step(decode(batch.decodes), batch);
  std::int64_t tokens = batch.decodes;
  for (const Chunk& chunk : batch.chunks) tokens += chunk.q;
  Work work = compiled_->tokens(tokens);
  work += compiled_->layers.sampled(batch.sampled);
  work += compiled_->layers.attention(batch);
  StepWork step;
  step.by_cause = to_integers(work);
  step.time = sum_of(step.by_cause);
  step.flops = whole(work.flops.base());
  step.bytes = whole(work.bytes.base());
  step.link_bytes = whole(work.link_bytes.base());
  const auto sequences = batch.decodes + static_cast<std::int64_t>(batch.chunks.size());
  finish_with_host(step, compiled_->floor + compiled_->per_sequence * sequences,
                   compiled_->gap + compiled_->gap_per_sequence * sequences);
  return step;
}

GraphPadding::GraphPadding(const EngineProfile& engine, std::int64_t max_num_seqs,
                           std::int64_t max_num_batched_tokens) {
  if (!engine.graph_sizes) return;
  const auto& rule = *engine.graph_sizes;
  sizes_ = rule.first;
  for (const auto& range : rule.ranges) {
    std::int64_t size = sizes_.empty() ? 0 : sizes_.back();
    for (size = (size / range.step + 1) * range.step; size <= range.up_to; size += range.step) {
      sizes_.push_back(size);
    }
  }
  std::int64_t limit = max_num_batched_tokens;
  if (rule.limit_to_twice_max_num_seqs) limit = std::min(limit, 2 * max_num_seqs);
  std::erase_if(sizes_, [&](std::int64_t size) { return size > limit; });
}

std::int64_t GraphPadding::padded(std::int64_t tokens) const {
  const auto next = std::lower_bound(sizes_.begin(), sizes_.end(), tokens);
  return next == sizes_.end() ? tokens : *next;
}

}  // namespace gpucap::perf
