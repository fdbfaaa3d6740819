#pragma once

#include "gpucap/perf/cause.hpp"
#include "gpucap/perf/kernel.hpp"
#include "gpucap/perf/step_cost.hpp"
#include "gpucap/plan/serving_plan.hpp"
#include "gpucap/serving/block_pool.hpp"
#include "gpucap/serving/sequence.hpp"

#include <cstdint>
#include <deque>
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
  std::vector<Share> shares;
  std::vector<perf::Chunk> chunks;
  perf::Batch batch;  ///< its chunks point into `chunks`
  /// Why the head of the waiting queue was left out, if it was: blocks, or sequences and budget.
  std::optional<perf::Cause> head_blocked;
};

/// Decides what runs in each step by the rules of vLLM: a token budget that running requests take
/// first, chunked prefill, blocks taken when scheduled, preemption of the last admitted by
/// recomputation, first come first served. Knows no time.
class Scheduler {
 public:
  Scheduler(const plan::SchedulerRules& rules, std::int64_t id_tokens);

  /// Could this request ever run here? Too long for the model or for the whole pool: never.
  [[nodiscard]] bool can_serve(const workload::Request& request) const;
  void enqueue(Sequence* sequence);

  /// Empty shares: there is nothing to run.
  Step schedule();

  /// Takes a finished sequence out and gives its blocks back.
  void retire(Sequence* sequence);

  [[nodiscard]] std::int64_t running() const { return std::ssize(running_); }
  [[nodiscard]] std::int64_t waiting() const { return std::ssize(waiting_); }
  [[nodiscard]] std::int64_t blocks_in_use() const { return pool_.blocks() - pool_.free_blocks(); }
  [[nodiscard]] std::int64_t block_tokens() const { return rules_.block_tokens; }

 private:
  void schedule_running(Step& step);
  void schedule_waiting(Step& step);
  bool admit(Step& step, Sequence& sequence);
  bool allocate(Sequence& sequence, std::int64_t tokens);
  bool allocate_or_preempt(Step& step, Sequence& sequence, std::int64_t tokens);
  void preempt_last();
  void add_share(Step& step, Sequence& sequence, std::int64_t tokens);
  [[nodiscard]] std::int64_t blocks_for(std::int64_t tokens) const;
  [[nodiscard]] bool waits_for_token(const Sequence& sequence) const;

  plan::SchedulerRules rules_;
  std::int64_t id_tokens_;
  BlockPool pool_;
  std::deque<Sequence*> waiting_;
  std::vector<Sequence*> running_;
  std::int64_t budget_ = 0;
  bool preempted_ = false;
};

}  // namespace gpucap::serving
