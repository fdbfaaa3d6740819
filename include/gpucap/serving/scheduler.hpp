#pragma once

#include "gpucap/perf/cause.hpp"
#include "gpucap/perf/kernel.hpp"
#include "gpucap/perf/step_cost.hpp"
#include "gpucap/plan/serving_plan.hpp"
#include "gpucap/serving/block_pool.hpp"
#include "gpucap/serving/decode_set.hpp"
#include "gpucap/serving/sequence.hpp"
#include "gpucap/serving/sequence_list.hpp"
#include "gpucap/serving/stepping.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace gpucap::serving {

/// The part that one sequence has in a step.
struct Share {
  Sequence* sequence = nullptr;
  std::int64_t tokens = 0;
  bool samples = false;  ///< the step yields a token for it
};

/// What the scheduler decided for one step.
struct Step {
  std::int64_t members = 0;   ///< of the decode set: all of them, or none; each gets a token
  std::vector<Share> shares;  ///< everybody else
  std::vector<perf::Chunk> chunks;
  perf::Batch batch;               ///< its chunks point into `chunks`
  perf::DecodeRun::Growth growth;  ///< of the batch, where the step repeats itself
  /// Why the head of the waiting queue was left out, if it was: blocks, or sequences and budget.
  std::optional<perf::Cause> head_blocked;
  /// All are members, and the next step would be the same with one token more each, as long as
  /// nobody arrives, nobody finishes and there are blocks.
  bool repeats = false;

  [[nodiscard]] bool empty() const { return members == 0 && shares.empty(); }
};

/// Decides what runs in each step by the rules of vLLM: a token budget that running requests take
/// first, chunked prefill, blocks taken when scheduled, preemption of the last admitted by
/// recomputation, first come first served. Knows no time beyond that of last tokens.
///
/// Stepping by jumps it holds the sequences that decode in a set and plans a step for all of them
/// at once. As soon as a rule would have to look at single ones (blocks run out, the budget is too
/// small) it scatters the set, walks over the running sequences as the reference always does, and
/// gathers them again.
class Scheduler {
 public:
  Scheduler(const plan::SchedulerRules& rules, std::int64_t id_tokens, Stepping stepping);

  /// Could this request ever run here? Too long for the model or for the whole pool: never.
  [[nodiscard]] bool can_serve(const workload::Request& request) const;
  void enqueue(Sequence& sequence);

  /// The next step; empty when there is nothing to run. Valid until the next call.
  const Step& schedule();
  [[nodiscard]] const Step& last_step() const { return step_; }
  /// The step that was scheduled last ends at `end`: notes when tokens come, and appends to
  /// `finished` who has had its last one with it, in running order.
  void settle(Ticks end, std::vector<Sequence*>& finished);
  /// The same for the first `steps` of the row that a step which repeats itself begins; those after
  /// the first take `blocks`.
  void settle_row(std::int64_t steps, std::int64_t blocks, Ticks end,
                  std::vector<Sequence*>& finished);
  /// Length of that row: until somebody has its last token, or blocks run out.
  [[nodiscard]] std::int64_t row() const;
  [[nodiscard]] const DecodeSet& decode_set() const { return decode_set_; }

  /// Takes a finished sequence out and gives its blocks back.
  void retire(Sequence& sequence);

  [[nodiscard]] std::int64_t running() const { return running_.size(); }
  [[nodiscard]] std::int64_t waiting() const { return waiting_.size(); }
  [[nodiscard]] std::int64_t blocks_in_use() const { return pool_.blocks() - pool_.free_blocks(); }
  [[nodiscard]] std::int64_t block_tokens() const { return rules_.block_tokens; }

 private:
  void clear_step();
  void schedule_running();
  bool schedule_set();
  void walk_running();
  void schedule_waiting();
  bool admit(Sequence& sequence);
  std::int64_t find_prefix(Sequence& sequence);
  bool allocate(Sequence& sequence, std::int64_t tokens);
  bool allocate_or_preempt(Sequence& sequence, std::int64_t tokens);
  void preempt_last();
  void add_share(Sequence& sequence, std::int64_t tokens);
  void add_decode(Sequence& sequence);
  [[nodiscard]] std::int64_t piece_for(const Sequence& sequence, std::int64_t budget) const;
  [[nodiscard]] std::int64_t blocks_for(std::int64_t tokens) const;
  [[nodiscard]] bool waits_for_token(const Sequence& sequence) const;
  void place(Sequence& sequence);
  void gather();
  void scatter();

  plan::SchedulerRules rules_;
  std::int64_t id_tokens_;
  BlockPool pool_;
  SequenceList waiting_, running_;
  std::int64_t admissions_ = 0;

  bool gathers_;          ///< steps by jumps
  bool gathered_;         ///< who runs is in the set, has all its tokens promised, or is the next:
  Sequence* unfinished_;  ///< the last of the running, part of its prompt still to be computed
  DecodeSet decode_set_;

  Step step_;
  std::int64_t budget_ = 0;
  bool preempted_ = false;
  std::vector<BlockPool::Content> hits_;  ///< of the head of the queue
};

}  // namespace gpucap::serving
