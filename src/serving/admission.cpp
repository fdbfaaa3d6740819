// Who is let in from the waiting queue, and the blocks that a sequence gets.
#include "gpucap/serving/scheduler.hpp"

#include <algorithm>

namespace gpucap::serving {

void Scheduler::schedule_waiting() {
  if (preempted_) return;
  while (!waiting_.empty() && budget_ > 0 && running() < rules_.max_num_seqs) {
    Sequence& head = *waiting_.front();
    if (!admit(head)) return;
    waiting_.remove(head);
    head.running = true;
    head.order = admissions_++;
    running_.push_back(head);
  }
}

/// Blocks of the head's prompt, or of all that it had computed, that are still there; those with
/// names are left in `hits_`.
std::int64_t Scheduler::find_prefix(Sequence& sequence) {
  hits_.clear();
  if (!rules_.prefix_caching) return 0;
  hash_prompt(sequence, rules_.block_tokens, id_tokens_);
  // The last token is always computed, so a prompt of whole blocks recomputes its last one.
  const std::int64_t full = (sequence.tokens() - 1) / rules_.block_tokens;
  const std::int64_t named = std::min(full, std::ssize(sequence.hashes));
  pool_.find(std::span(sequence.hashes).first(static_cast<std::size_t>(named)), hits_);
  // Its own blocks stand behind those with names, and are lost before these.
  return std::ssize(hits_) < named ? 0 : pool_.parked(sequence.parked);
}

bool Scheduler::admit(Sequence& sequence) {
  if (waits_for_token(sequence)) return false;  // thrown out while its token is on the way
  const std::int64_t tokens = sequence.tokens();
  const std::int64_t own_hits = find_prefix(sequence);
  const std::int64_t hits = std::ssize(hits_) + own_hits;
  const std::int64_t hit_tokens = hits * rules_.block_tokens;
  const std::int64_t chunk = std::min(tokens - hit_tokens, budget_);
  // What is found can be lost from step to step, which changes why a whole prompt does not fit.
  if (!rules_.chunked_prefill && hits > 0) step_.repeats = false;
  if (!rules_.chunked_prefill && chunk < tokens - hit_tokens) return false;

  const std::int64_t wanted =
      blocks_for(rules_.reserve_full_prompt ? tokens : hit_tokens + chunk) - hits;
  const std::int64_t kept_free = running_.empty() ? 0 : rules_.watermark_blocks;
  if (wanted > pool_.free_blocks() - pool_.unowned(hits_) - own_hits - kept_free) {
    step_.head_blocked = perf::Cause::kv_cache;
    return false;
  }
  if (!sequence.admitted_before) {
    sequence.admitted_before = true;
    sequence.cached_prompt_tokens = std::min(hit_tokens, sequence.request.prompt_tokens);
  }
  pool_.share(hits_);
  sequence.known.assign(hits_.begin(), hits_.end());
  if (own_hits > 0) pool_.unpark(sequence.parked);
  pool_.abandon(sequence.parked);
  sequence.computed = hit_tokens;
  allocate(sequence, chunk);
  add_share(sequence, chunk);
  return true;
}

bool Scheduler::allocate(Sequence& sequence, std::int64_t tokens) {
  const std::int64_t end = sequence.computed + tokens;
  const std::int64_t lacking = blocks_for(end) - blocks_for(sequence.computed);
  if (lacking > pool_.free_blocks()) return false;
  pool_.take(lacking);
  // A full block can be found as soon as it is scheduled, before its KV is computed.
  const std::int64_t named = std::min(end / rules_.block_tokens, std::ssize(sequence.hashes));
  while (std::ssize(sequence.known) < named) {
    sequence.known.push_back(pool_.publish(sequence.hashes[sequence.known.size()]));
  }
  return true;
}

}  // namespace gpucap::serving
