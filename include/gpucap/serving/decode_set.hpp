#pragma once

#include "gpucap/perf/decode_run.hpp"
#include "gpucap/perf/step_cost.hpp"
#include "gpucap/serving/sequence.hpp"
#include "gpucap/units/sim_time.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace gpucap::serving {

/// Sequences that all take one token from every step, held by their sums. A step, or many, passes
/// over the whole set at a cost that does not depend on how many there are: a member's own state
/// follows from the number of steps since it joined, and is written back when it leaves.
class DecodeSet {
 public:
  /// `window`: sliding window of the model, if its layers have one.
  DecodeSet(std::int64_t block_tokens, std::optional<std::int64_t> window);

  [[nodiscard]] bool empty() const { return members_.empty(); }
  [[nodiscard]] std::int64_t size() const { return std::ssize(members_); }

  /// From the next step on. The sequence must lack exactly one token.
  void join(Sequence& sequence);
  /// All leave; each member gets its state back.
  void scatter();

  /// What the next step reads.
  [[nodiscard]] perf::Batch next() const;
  /// How that batch goes on in the steps after it.
  [[nodiscard]] perf::DecodeRun::Growth growth() const;

  /// Steps until the first member has all its tokens.
  [[nodiscard]] std::int64_t steps_to_finish() const { return members_.front().last_step - step_; }
  /// Steps for which `blocks` new KV blocks are enough.
  [[nodiscard]] std::int64_t steps_within(std::int64_t blocks) const;
  /// Steps for which nobody has his last token before the end and `blocks` new blocks are enough.
  [[nodiscard]] std::int64_t steps_alike(std::int64_t blocks) const;
  /// New KV blocks that the next step needs.
  [[nodiscard]] std::int64_t blocks_needed() const {
    return by_turn_[static_cast<std::size_t>(turn_)];
  }
  /// Blocks taken in steps from <= i < to, the next step being 0, with the sums over blocks of i
  /// and of i squared.
  struct Takings {
    std::int64_t blocks = 0, steps = 0, squares = 0;
  };
  [[nodiscard]] Takings takings(std::int64_t from, std::int64_t to) const;

  /// So many steps were passed, the last of which ends at `end`.
  void pass(std::int64_t steps, Ticks end);
  /// A member whose last token came with the last step passed, in running order; null: no more.
  Sequence* take_finished();

  /// When members got their last token, and how many of them at that instant.
  [[nodiscard]] const std::vector<std::pair<Ticks, std::int64_t>>& last_tokens() const {
    return last_tokens_;
  }

 private:
  struct Member {
    std::int64_t last_step;  ///< which yields its last token
    std::int64_t base;       ///< KV tokens computed after step s are base + s
    std::int64_t order;
    std::int64_t turn;  ///< of the steps modulo block size at which it takes a block
    Sequence* sequence;
  };
  static bool later(const Member& a, const Member& b) {
    return a.last_step != b.last_step ? a.last_step > b.last_step : a.order > b.order;
  }
  void write_back(const Member& member) const;
  void find_longest();
  void fill_window(perf::Batch& batch) const;
  /// Context that a member has in the next step.
  [[nodiscard]] std::int64_t next_context(const Member& member) const {
    return member.base + step_ + 1;
  }

  std::int64_t block_tokens_;
  std::optional<std::int64_t> window_;
  std::vector<Member> members_;  // a heap, the first to finish in front
  std::int64_t step_ = 0;        // steps passed so far
  std::int64_t turn_ = 0;        // the same modulo block size
  std::int64_t sum_base_ = 0;
  std::int64_t longest_base_ = 0;
  std::vector<std::int32_t> by_turn_;  // how many members take a block at which turn
  std::vector<std::pair<Ticks, std::int64_t>> last_tokens_;
};

}  // namespace gpucap::serving
