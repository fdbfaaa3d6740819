#include "gpucap/serving/step_book.hpp"

#include <algorithm>
#include <utility>

namespace gpucap::serving {
namespace {

using record::State;

void note_blocked(record::Usage& usage, const Levels& levels, Ticks time) {
  if (levels.head_blocked) usage.by_cause[static_cast<std::size_t>(*levels.head_blocked)] += time;
}

}  // namespace

StepBook::StepBook(const perf::StepCost& cost, std::int64_t block_tokens, std::size_t buckets)
    : cost_(&cost), block_tokens_(block_tokens), timeline_(buckets) {}

record::Timeline::Bucket& StepBook::bucket_at(SimTime start) {
  if (start >= bucket_end_) {
    price_sums();
    const record::Timeline::Slot slot = timeline_.at(start);
    bucket_ = &slot.bucket;
    bucket_end_ = slot.end;
  }
  return *bucket_;
}

void StepBook::add(const perf::StepWork& work, State state, Ticks start, const Levels& levels,
                   const std::optional<Tokens>& tokens) {
  record::Timeline::Bucket& bucket = bucket_at(shown(start));
  record::Usage& usage = bucket.of(state);
  usage += work;
  if (tokens) {
    ++usage.steps;
    usage.prompt_tokens += tokens->prompt;
    usage.output_tokens += tokens->output;
  }
  note_blocked(usage, levels, work.time);
  blocks_time_ += work.time * levels.blocks;
  bucket.add_requests(work.time, levels.running, levels.waiting);
}

std::int64_t StepBook::add_row(const perf::DecodeRun& run, std::int64_t steps, Ticks start,
                               const DecodeSet& sequences, const Levels& levels,
                               const Leaving& leaving) {
  if (leaving.running > 0) {
    bucket_at(shown(start)).add_requests(run.until(1), leaving.running, 0);
    blocks_time_ += run.until(1) * leaving.blocks;
  }
  std::int64_t blocks = levels.blocks;
  for (std::int64_t first = 0; first < steps;) {
    record::Timeline::Bucket& bucket = bucket_at(shown(start + run.until(first)));
    const Ticks beyond = first_shown_as(bucket_end_) - start;
    const std::int64_t next = run.until(steps - 1) < beyond ? steps : run.first_at(beyond);
    add_sums(run, first, next);
    const std::int64_t end = run.ticks_until(next);
    const std::int64_t time = end - run.ticks_until(first);
    note_blocked(bucket.of(State::decode), levels, {time});
    bucket.add_requests({time}, levels.running, levels.waiting);
    // A block is held from the step on that takes it; the first step's are among those in use.
    const auto taken = sequences.takings(std::max<std::int64_t>(1, first), next);
    blocks_time_ += Ticks{Ticks::Wide{time} * blocks + Ticks::Wide{end} * taken.blocks} -
                    run.sum_until(taken.steps, taken.squares);
    blocks += taken.blocks;
    first = next;
  }
  return blocks - levels.blocks;
}

void StepBook::add_sums(const perf::DecodeRun& run, std::int64_t first, std::int64_t next) {
  const auto n = static_cast<std::size_t>(run.sequences());
  if (n >= sums_.size()) sums_.resize(n + 1);
  Sums& sums = sums_[n];
  if (sums.sequences == 0) {
    sums.sequences = run.sequences();
    in_sums_.push_back(run.sequences());
  }
  run.add_to(run.host_bound() ? sums.host_bound : sums.gpu_bound, first, next - first);
}

void StepBook::price_sums() {
  if (bucket_ == nullptr) return;
  bucket_->kv_tokens_time += blocks_time_ * block_tokens_;
  blocks_time_ = {};
  for (const std::int64_t n : in_sums_) {
    Sums& sums = sums_[static_cast<std::size_t>(n)];
    const perf::StepCost::Decode& cost = cost_->decode(n);
    record::Usage& usage = bucket_->of(State::decode);
    if (sums.gpu_bound.steps > 0) usage += cost.gpu_bound(sums.gpu_bound);
    if (sums.host_bound.steps > 0) usage += cost.host_bound(sums.host_bound);
    const std::int64_t steps = sums.gpu_bound.steps + sums.host_bound.steps;
    usage.steps += steps;
    usage.output_tokens += n * steps;
    sums = {};
  }
  in_sums_.clear();
}

record::Timeline StepBook::close() {
  price_sums();
  return std::move(timeline_);
}

}  // namespace gpucap::serving
