#include "gpucap/record/usage.hpp"

namespace gpucap::record {
namespace {

void add_bucket(Timeline::Bucket& into, const Timeline::Bucket& other) {
  for (std::size_t s = 0; s < state_count; ++s) into.by_state[s] += other.by_state[s];
  into.kv_tokens_time += other.kv_tokens_time;
  into.running_time += other.running_time;
  into.waiting_time += other.waiting_time;
}

/// Buckets of twice the width: each is the exact sum of two old ones.
void merge_pairs(std::vector<Timeline::Bucket>& buckets) {
  const std::size_t half = (buckets.size() + 1) / 2;
  for (std::size_t i = 0; i < half; ++i) {
    if (i > 0) buckets[i] = buckets[2 * i];
    if (2 * i + 1 < buckets.size()) add_bucket(buckets[i], buckets[2 * i + 1]);
  }
  buckets.resize(half);
}

}  // namespace

Usage& Usage::operator+=(const Usage& other) {
  steps += other.steps;
  prompt_tokens += other.prompt_tokens;
  output_tokens += other.output_tokens;
  return *this += static_cast<const perf::StepWork&>(other);
}

Usage& Usage::operator+=(const perf::StepWork& work) {
  time += work.time;
  flops += work.flops;
  bytes += work.bytes;
  link_bytes += work.link_bytes;
  for (std::size_t c = 0; c < cause_count; ++c) by_cause[c] += work.by_cause[c];
  return *this;
}

void Timeline::move_to(SimTime start) {
  while (static_cast<std::size_t>(start.ns / width_.ns) >= max_buckets_) {
    merge_pairs(buckets_);
    width_.ns *= 2;
  }
  index_ = static_cast<std::size_t>(start.ns / width_.ns);
  if (index_ >= buckets_.size()) buckets_.resize(index_ + 1);
  begin_.ns = static_cast<std::int64_t>(index_) * width_.ns;
  const bool last = begin_.ns > SimTime::never().ns - width_.ns;
  end_ = last ? SimTime::never() : SimTime{begin_.ns + width_.ns};
}

Usage Timeline::total(State state) const {
  Usage sum;
  for (const Bucket& bucket : buckets_) sum += bucket.by_state[static_cast<std::size_t>(state)];
  return sum;
}

}  // namespace gpucap::record
