#include "gpucap/perf/step_cost.hpp"

#include "gpucap/perf/layer_work.hpp"

#include <algorithm>
#include <stdexcept>

#include "work_by_count.hpp"

namespace gpucap::perf {
namespace {

using Wide = StepWork::Wide;

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

std::int64_t narrow(Wide value) {
  constexpr Wide limit = Wide{1} << 61;
  if (value < -limit || value > limit) throw std::out_of_range("a decode step of days");
  return static_cast<std::int64_t>(value);
}

std::int64_t narrow(Ticks duration) {
  return narrow(duration.count);
}

std::int64_t narrow(double value) {
  return narrow(nearest_whole(value));
}

/// A closed form over many steps takes the next step to be no shorter than the last.
void require_growing(const StepCost::Decode& cost) {
  const std::int64_t least =
      std::min({cost.per_sum, cost.per_max, cost.per_sum_window, cost.per_max_window});
  if (least < 0) throw std::invalid_argument("decode attention that context makes faster");
}

constexpr auto host = static_cast<std::size_t>(Cause::host);

/// Applies the host: the GPU waits for a host that is slower, and every step has a gap.
void finish_with_host(StepWork& step, Ticks floor, Ticks gap) {
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

  /// Token-count work of a batch: that of its padded size.
  const Work& tokens(std::int64_t count) {
    const Work* known = token_work.find(count);
    return known != nullptr ? *known : new_tokens(count);
  }
  const Work& sampled(std::int64_t sequences) {
    const Work* known = sampled_work.find(sequences);
    if (known != nullptr) return *known;
    sampled_work.put(sequences, layers.sampled(sequences));
    return *sampled_work.find(sequences);
  }
  const Decode& decode(std::int64_t n) {
    const auto index = static_cast<std::size_t>(n);
    return index < decodes.size() && decodes[index] ? *decodes[index] : new_decode(n);
  }
  const Work& new_tokens(std::int64_t count);
  const Decode& new_decode(std::int64_t n);
  Decode compile(std::int64_t n);

  LayerWork layers;
  bool windowed = layers.layers_with(true) > 0;
  GraphPadding padding;
  Ticks floor, per_sequence, gap, gap_per_sequence;
  WorkByCount token_work, sampled_work;
  std::vector<std::unique_ptr<const Decode>> decodes;
};

const Work& StepCost::Compiled::new_tokens(std::int64_t count) {
  const std::int64_t size = padding.padded(count);
  if (token_work.find(size) == nullptr) token_work.put(size, layers.tokens(size));
  token_work.share(count, size);
  return *token_work.find(count);
}

const StepCost::Decode& StepCost::Compiled::new_decode(std::int64_t n) {
  const auto index = static_cast<std::size_t>(n);
  if (index >= decodes.size()) decodes.resize(index + 1);
  decodes[index] = std::make_unique<const Decode>(compile(n));
  return *decodes[index];
}

StepCost::Decode StepCost::Compiled::compile(std::int64_t n) {
  Work work = tokens(n);
  work += sampled(n);
  const DecodeAttentionCost full = layers.decode_attention(n, false);
  const DecodeAttentionCost window = layers.decode_attention(n, true);
  work.by_cause[static_cast<std::size_t>(full.cause)] += full.fixed + window.fixed;

  Decode cost;
  for (std::size_t c = 0; c < cause_count; ++c) {
    cost.fixed[c] = narrow(to_ticks(work.by_cause[c]));
    cost.fixed_time += cost.fixed[c];
  }
  cost.per_sum = narrow(to_ticks(full.per_sum_token));
  cost.per_max = narrow(to_ticks(full.per_max_token));
  cost.per_sum_window = narrow(to_ticks(window.per_sum_token));
  cost.per_max_window = narrow(to_ticks(window.per_max_token));
  cost.attention = full.cause;
  require_growing(cost);
  cost.floor = narrow(floor + per_sequence * n);
  cost.gap = narrow(gap + gap_per_sequence * n);
  cost.flops = narrow(work.flops.base());
  cost.bytes = narrow(work.bytes.base());
  cost.link_bytes = narrow(work.link_bytes.base());
  cost.flops_per_sum = narrow(full.flops_per_token);
  cost.bytes_per_sum = narrow(full.bytes_per_token);
  cost.flops_per_sum_window = narrow(window.flops_per_token);
  cost.bytes_per_sum_window = narrow(window.bytes_per_token);
  return cost;
}

StepCost::StepCost(const StepCostInputs& inputs) : compiled_(std::make_unique<Compiled>(inputs)) {}
StepCost::~StepCost() = default;
StepCost::StepCost(StepCost&&) noexcept = default;

const StepCost::Decode& StepCost::decode(std::int64_t n) const {
  return compiled_->decode(n);
}

namespace {

/// What a step does, whatever time it takes.
StepWork untimed(const StepCost::Decode& cost, const DecodeSums& sums) {
  const Wide steps = sums.steps, context = sums.context, window = sums.window;
  StepWork work;
  work.flops =
      cost.flops * steps + cost.flops_per_sum * context + cost.flops_per_sum_window * window;
  work.bytes =
      cost.bytes * steps + cost.bytes_per_sum * context + cost.bytes_per_sum_window * window;
  work.link_bytes = cost.link_bytes * steps;
  return work;
}

}  // namespace

StepWork StepCost::Decode::gpu_bound(const DecodeSums& sums) const {
  const Wide steps = sums.steps;
  const Wide attending = per_sum * Wide{sums.context} + per_max * Wide{sums.longest_context} +
                         per_sum_window * Wide{sums.window} +
                         per_max_window * Wide{sums.longest_window};
  StepWork work = untimed(*this, sums);
  for (std::size_t c = 0; c < cause_count; ++c) work.by_cause[c] = {fixed[c] * steps};
  work.by_cause[static_cast<std::size_t>(attention)] += Ticks{attending};
  work.by_cause[host] += Ticks{gap * steps};
  work.time = {(fixed_time + gap) * steps + attending};
  return work;
}

StepWork StepCost::Decode::host_bound(const DecodeSums& sums) const {
  StepWork work = untimed(*this, sums);
  work.time = work.by_cause[host] = {(floor + gap) * Wide{sums.steps}};
  return work;
}

namespace {

StepWork decode_step(const StepCost::Decode& cost, const Batch& batch, bool windowed) {
  DecodeSums sums{1, batch.sum_context, batch.max_context, 0, 0};
  Wide time = cost.fixed_time + cost.per_sum * Wide{batch.sum_context} +
              cost.per_max * Wide{batch.max_context};
  if (windowed) {
    sums.window = batch.sum_window;
    sums.longest_window = batch.max_window;
    time +=
        cost.per_sum_window * Wide{batch.sum_window} + cost.per_max_window * Wide{batch.max_window};
  }
  return time < cost.floor ? cost.host_bound(sums) : cost.gpu_bound(sums);
}

}  // namespace

StepWork StepCost::operator()(const Batch& batch) const {
  if (batch.chunks.empty()) {
    return decode_step(compiled_->decode(batch.decodes), batch, compiled_->windowed);
  }
  std::int64_t tokens = batch.decodes;
  for (const Chunk& chunk : batch.chunks) tokens += chunk.q;
  Work work = compiled_->tokens(tokens);
  work += compiled_->sampled(batch.sampled);
  work += compiled_->layers.attention(batch);
  StepWork step;
  step.by_cause = to_integers(work);
  step.time = sum_of(step.by_cause);
  step.flops = nearest_whole(work.flops.base());
  step.bytes = nearest_whole(work.bytes.base());
  step.link_bytes = nearest_whole(work.link_bytes.base());
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
