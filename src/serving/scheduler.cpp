#include "gpucap/serving/scheduler.hpp"

#include <algorithm>

namespace gpucap::serving {

using perf::Cause;
using Batching = perf::EngineProfile::Batching;

Scheduler::Scheduler(const plan::SchedulerRules& rules, std::int64_t id_tokens)
    : rules_(rules), id_tokens_(id_tokens), pool_(rules.kv_blocks) {}

std::int64_t Scheduler::blocks_for(std::int64_t tokens) const {
  return (tokens + rules_.block_tokens - 1) / rules_.block_tokens;
}

bool Scheduler::waits_for_token(const Sequence& sequence) const {
  return rules_.stages_in_flight > 1 && sequence.promised > sequence.delivered;
}

bool Scheduler::can_serve(const workload::Request& request) const {
  const std::int64_t tokens = request.prompt_tokens + request.output_tokens;
  // Without chunks a whole prompt must fit a step, after a preemption with all that it generated.
  const bool fits_a_step = rules_.chunked_prefill || tokens <= rules_.max_num_batched_tokens;
  return tokens <= rules_.max_model_len && blocks_for(tokens) <= rules_.kv_blocks && fits_a_step;
}

void Scheduler::enqueue(Sequence* sequence) {
  waiting_.push_back(sequence);
}

Step Scheduler::schedule() {
  Step step;
  budget_ = rules_.max_num_batched_tokens;
  preempted_ = false;
  switch (rules_.batching) {
    case Batching::continuous:
      schedule_running(step);
      schedule_waiting(step);
      break;
    case Batching::prefill_first:
      schedule_waiting(step);
      if (step.shares.empty()) schedule_running(step);
      break;
    case Batching::gang:
      if (running_.empty()) schedule_waiting(step);
      if (step.shares.empty()) schedule_running(step);
      break;
  }
  if (!waiting_.empty() && !step.head_blocked) {
    step.head_blocked = preempted_ ? Cause::kv_cache : Cause::queue;
  }
  step.batch.chunks = step.chunks;
  return step;
}

void Scheduler::schedule_running(Step& step) {
  // Preemption shortens the list from its end while we walk it from its front.
  for (std::size_t i = 0; i < running_.size() && budget_ > 0; ++i) {
    Sequence& sequence = *running_[i];
    const std::int64_t room = rules_.max_model_len - 1 - sequence.computed;
    const std::int64_t tokens = std::min({sequence.lacking(), budget_, room});
    if (tokens <= 0 || waits_for_token(sequence)) continue;
    if (!allocate_or_preempt(step, sequence, tokens)) break;
    add_share(step, sequence, tokens);
  }
}

bool Scheduler::allocate_or_preempt(Step& step, Sequence& sequence, std::int64_t tokens) {
  while (!allocate(sequence, tokens)) {
    const bool asker_is_last = running_.back() == &sequence;
    preempt_last();
    step.head_blocked = Cause::kv_cache;
    if (asker_is_last) return false;
  }
  return true;
}

void Scheduler::preempt_last() {
  Sequence& victim = *running_.back();
  running_.pop_back();
  pool_.release(victim.blocks);
  victim.blocks.clear();
  victim.computed = 0;
  victim.published = 0;
  victim.running = false;
  ++victim.preemptions;
  waiting_.push_front(&victim);
  preempted_ = true;
}

void Scheduler::schedule_waiting(Step& step) {
  if (preempted_) return;
  while (!waiting_.empty() && budget_ > 0 && running() < rules_.max_num_seqs) {
    Sequence& head = *waiting_.front();
    if (!admit(step, head)) return;
    waiting_.pop_front();
    head.running = true;
    running_.push_back(&head);
  }
}

bool Scheduler::admit(Step& step, Sequence& sequence) {
  if (waits_for_token(sequence)) return false;  // thrown out while its token is on the way
  const std::int64_t tokens = sequence.tokens();
  std::vector<BlockPool::Block> hits;
  if (rules_.prefix_caching) {
    // The last token is always computed, so a prompt of whole blocks recomputes its last one.
    const std::int64_t full = (tokens - 1) / rules_.block_tokens;
    extend_hashes(sequence, full, rules_.block_tokens, id_tokens_);
    hits = pool_.find(std::span(sequence.hashes).first(static_cast<std::size_t>(full)));
  }
  const std::int64_t hit_tokens = std::ssize(hits) * rules_.block_tokens;
  const std::int64_t chunk = std::min(tokens - hit_tokens, budget_);
  if (!rules_.chunked_prefill && chunk < tokens - hit_tokens) return false;

  const std::int64_t wanted =
      blocks_for(rules_.reserve_full_prompt ? tokens : hit_tokens + chunk) - std::ssize(hits);
  const std::int64_t kept_free = running_.empty() ? 0 : rules_.watermark_blocks;
  if (wanted > pool_.free_blocks() - pool_.unowned(hits) - kept_free) {
    step.head_blocked = Cause::kv_cache;
    return false;
  }
  if (!sequence.admitted_before) {
    sequence.admitted_before = true;
    sequence.cached_prompt_tokens = std::min(hit_tokens, sequence.request.prompt_tokens);
  }
  pool_.share(hits);
  sequence.blocks = std::move(hits);
  sequence.published = std::ssize(sequence.blocks);
  sequence.computed = hit_tokens;
  allocate(sequence, chunk);
  add_share(step, sequence, chunk);
  return true;
}

bool Scheduler::allocate(Sequence& sequence, std::int64_t tokens) {
  const std::int64_t end = sequence.computed + tokens;
  const std::int64_t lacking = blocks_for(end) - std::ssize(sequence.blocks);
  if (lacking > pool_.free_blocks()) return false;
  pool_.take(lacking, sequence.blocks);
  if (rules_.prefix_caching) {
    // A full block can be found as soon as it is scheduled, before its KV is computed.
    const std::int64_t full = end / rules_.block_tokens;
    extend_hashes(sequence, full, rules_.block_tokens, id_tokens_);
    for (; sequence.published < full; ++sequence.published) {
      const auto i = static_cast<std::size_t>(sequence.published);
      pool_.publish(sequence.blocks[i], sequence.hashes[i]);
    }
  }
  return true;
}

void Scheduler::add_share(Step& step, Sequence& sequence, std::int64_t tokens) {
  const bool decode = tokens == 1 && sequence.computed >= sequence.request.prompt_tokens;
  sequence.computed += tokens;
  budget_ -= tokens;
  const bool samples = sequence.computed == sequence.tokens();
  if (samples) ++sequence.promised;
  step.shares.push_back({&sequence, tokens, samples});
  step.batch.sampled += samples ? 1 : 0;
  if (!decode) {
    step.chunks.push_back({tokens, sequence.computed});
    return;
  }
  const std::int64_t context = sequence.computed;
  ++step.batch.decodes;
  step.batch.sum_context += context;
  step.batch.max_context = std::max(step.batch.max_context, context);
  if (rules_.sliding_window) {
    const std::int64_t seen = std::min(context, *rules_.sliding_window);
    step.batch.sum_window += seen;
    step.batch.max_window = std::max(step.batch.max_window, seen);
  }
}

void Scheduler::retire(Sequence* sequence) {
  pool_.release(sequence->blocks);
  sequence->blocks.clear();
  // A victim of preemption whose last token was already in flight ends while it waits.
  if (sequence->running) {
    running_.erase(std::find(running_.begin(), running_.end(), sequence));
  } else {
    waiting_.erase(std::find(waiting_.begin(), waiting_.end(), sequence));
  }
}

}  // namespace gpucap::serving
