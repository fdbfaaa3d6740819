#include "gpucap/serving/scheduler.hpp"

#include <algorithm>

namespace gpucap::serving {

using perf::Cause;
using Batching = perf::EngineProfile::Batching;

Scheduler::Scheduler(const plan::SchedulerRules& rules, std::int64_t id_tokens, Stepping stepping)
    : rules_(rules),
      id_tokens_(rules.prefix_caching ? id_tokens : 0),
      pool_(rules.kv_blocks),
      gathers_(stepping == Stepping::jumps),
      gathered_(gathers_),
      unfinished_(nullptr),
      decode_set_(rules.block_tokens, rules.sliding_window) {}

std::int64_t Scheduler::blocks_for(std::int64_t tokens) const {
  return (tokens + rules_.block_tokens - 1) / rules_.block_tokens;
}

bool Scheduler::waits_for_token(const Sequence& sequence) const {
  return rules_.stages_in_flight > 1 && sequence.on_the_way > 0;
}

bool Scheduler::can_serve(const workload::Request& request) const {
  const std::int64_t tokens = request.prompt_tokens + request.output_tokens;
  // Without chunks a whole prompt must fit a step, after a preemption with all that it generated.
  const bool fits_a_step = rules_.chunked_prefill || tokens <= rules_.max_num_batched_tokens;
  return tokens <= rules_.max_model_len && blocks_for(tokens) <= rules_.kv_blocks && fits_a_step;
}

void Scheduler::enqueue(Sequence& sequence) {
  waiting_.push_back(sequence);
}

void Scheduler::clear_step() {
  step_.members = 0;
  step_.shares.clear();
  step_.chunks.clear();
  step_.batch = {};
  step_.head_blocked.reset();
  step_.repeats = true;
  budget_ = rules_.max_num_batched_tokens;
  preempted_ = false;
}

const Step& Scheduler::schedule() {
  clear_step();
  switch (rules_.batching) {
    case Batching::continuous:
      schedule_running();
      schedule_waiting();
      break;
    case Batching::prefill_first:
      schedule_waiting();
      if (step_.shares.empty()) schedule_running();
      break;
    case Batching::gang:
      if (running_.empty()) schedule_waiting();
      if (step_.shares.empty()) schedule_running();
      break;
  }
  if (!waiting_.empty() && !step_.head_blocked) {
    step_.head_blocked = preempted_ ? Cause::kv_cache : Cause::queue;
  }
  step_.batch.chunks = step_.chunks;
  step_.repeats = step_.repeats && step_.members > 0 && step_.shares.empty() && !preempted_;
  if (step_.repeats) step_.growth = decode_set_.growth();
  return step_;
}

void Scheduler::schedule_running() {
  if (!schedule_set()) walk_running();
}

/// Tokens of a running sequence that a step can compute.
std::int64_t Scheduler::piece_for(const Sequence& sequence, std::int64_t budget) const {
  const std::int64_t room = rules_.max_model_len - 1 - sequence.computed;
  return std::min({sequence.lacking(), budget, room});
}

/// Plans for the whole set; false, with nothing done, where single sequences must be looked at.
bool Scheduler::schedule_set() {
  if (!gathered_ || decode_set_.size() > budget_) return false;
  // Who is not at the end would be asked for blocks before others.
  if (unfinished_ != nullptr && unfinished_ != running_.back()) return false;
  const std::int64_t left = budget_ - decode_set_.size();
  const std::int64_t piece = unfinished_ == nullptr ? 0 : piece_for(*unfinished_, left);
  const std::int64_t taken = decode_set_.blocks_needed();
  std::int64_t needed = taken;
  if (piece > 0) {
    needed += blocks_for(unfinished_->computed + piece) - blocks_for(unfinished_->computed);
  }
  if (needed > pool_.free_blocks()) return false;
  if (!decode_set_.empty()) {
    pool_.take(taken);
    step_.members = decode_set_.size();
    step_.batch = decode_set_.next();
    budget_ = left;
  }
  if (piece > 0) {
    allocate(*unfinished_, piece);
    add_share(*unfinished_, piece);
  }
  return true;
}

void Scheduler::walk_running() {
  scatter();
  // Preemption shortens the list from its end while we walk it from its front.
  for (Sequence* next = running_.front(); next != nullptr && budget_ > 0;) {
    Sequence& sequence = *next;
    const std::int64_t tokens = piece_for(sequence, budget_);
    if (tokens > 0 && !waits_for_token(sequence)) {
      if (!allocate_or_preempt(sequence, tokens)) break;
      add_share(sequence, tokens);
    }
    next = sequence.after;
  }
}

bool Scheduler::allocate_or_preempt(Sequence& sequence, std::int64_t tokens) {
  while (!allocate(sequence, tokens)) {
    const bool asker_is_last = running_.back() == &sequence;
    preempt_last();
    step_.head_blocked = Cause::kv_cache;
    if (asker_is_last) return false;
  }
  return true;
}

void Scheduler::preempt_last() {
  Sequence& victim = *running_.back();
  running_.remove(victim);
  const std::int64_t own = blocks_for(victim.computed) - std::ssize(victim.known);
  if (rules_.prefix_caching) {
    // Full blocks could be found as soon as they were scheduled; the last one may not be full.
    const std::int64_t full = victim.computed / rules_.block_tokens - std::ssize(victim.known);
    pool_.release(own - full);
    victim.parked = pool_.park(full);
  } else {
    pool_.release(own);
  }
  pool_.release(victim.known);
  victim.known.clear();
  victim.computed = 0;
  victim.running = false;
  ++victim.preemptions;
  waiting_.push_front(victim);
  preempted_ = true;
}

void Scheduler::add_share(Sequence& sequence, std::int64_t tokens) {
  const bool decode = tokens == 1 && sequence.computed >= sequence.request.prompt_tokens;
  sequence.computed += tokens;
  budget_ -= tokens;
  const bool samples = sequence.computed == sequence.tokens();
  if (samples) ++sequence.promised;
  step_.shares.push_back({&sequence, tokens, samples});
  step_.batch.sampled += samples ? 1 : 0;
  if (decode) {
    add_decode(sequence);
  } else {
    step_.chunks.push_back({tokens, sequence.computed});
  }
}

void Scheduler::add_decode(Sequence& sequence) {
  perf::Batch& batch = step_.batch;
  const std::int64_t context = sequence.computed;
  ++batch.decodes;
  batch.sum_context += context;
  batch.max_context = std::max(batch.max_context, context);
  if (rules_.sliding_window) {
    const std::int64_t seen = std::min(context, *rules_.sliding_window);
    batch.sum_window += seen;
    batch.max_window = std::max(batch.max_window, seen);
  }
}

void Scheduler::settle(Ticks end, std::vector<Sequence*>& finished) {
  if (step_.members > 0) {
    decode_set_.pass(1, end);
    while (Sequence* sequence = decode_set_.take_finished()) finished.push_back(sequence);
  }
  for (const Share& share : step_.shares) {
    Sequence& sequence = *share.sequence;
    if (share.samples) sequence.last_token = end;
    if (share.samples && sequence.all_promised()) finished.push_back(&sequence);
    if (gathered_) place(sequence);
  }
  if (gathers_ && !gathered_) gather();
}

/// Puts a running sequence where it belongs after its step.
void Scheduler::place(Sequence& sequence) {
  if (unfinished_ == &sequence) unfinished_ = nullptr;
  if (sequence.all_promised()) return;
  if (sequence.decodes()) {
    decode_set_.join(sequence);
  } else if (unfinished_ == nullptr) {
    unfinished_ = &sequence;
  } else {
    scatter();
  }
}

void Scheduler::gather() {
  gathered_ = true;
  for (Sequence* next = running_.front(); next != nullptr && gathered_; next = next->after) {
    place(*next);
  }
}

void Scheduler::scatter() {
  decode_set_.scatter();
  unfinished_ = nullptr;
  gathered_ = false;
}

std::int64_t Scheduler::row() const {
  // The first step has its blocks already.
  return decode_set_.steps_alike(pool_.free_blocks() + decode_set_.blocks_needed());
}

void Scheduler::settle_row(std::int64_t steps, std::int64_t blocks, Ticks end,
                           std::vector<Sequence*>& finished) {
  pool_.take(blocks);
  decode_set_.pass(steps, end);
  while (Sequence* sequence = decode_set_.take_finished()) finished.push_back(sequence);
}

void Scheduler::retire(Sequence& sequence) {
  // A victim of preemption whose last token was already in flight ends while it waits.
  if (sequence.running) {
    running_.remove(sequence);
    pool_.release(blocks_for(sequence.computed) - std::ssize(sequence.known));
    pool_.release(sequence.known);
  } else {
    waiting_.remove(sequence);
    pool_.abandon(sequence.parked);
  }
}

}  // namespace gpucap::serving
