// The set of sequences that decode against a plain list of them.
#include "gpucap/serving/decode_set.hpp"

#include "gpucap/core/random.hpp"

#include <algorithm>
#include <deque>
#include <map>
#include <vector>

#include "support/catch.hpp"

using namespace gpucap;
using serving::DecodeSet;
using serving::Sequence;

namespace {

/// A member as the list keeps it: everything by itself, changed in every step.
struct Plain {
  Sequence* sequence;
  std::int64_t computed, promised;
  Ticks last_token;
};

std::int64_t blocks_for(std::int64_t tokens, std::int64_t block_tokens) {
  return (tokens + block_tokens - 1) / block_tokens;
}

/// Set and list side by side under the same random operations.
class Pair {
 public:
  Pair(std::uint64_t seed, std::int64_t block_tokens, std::optional<std::int64_t> window)
      : draw_(seed, "decode set"),
        block_tokens_(block_tokens),
        window_(window),
        set_(block_tokens, window) {}

  void operate() {
    if (list_.empty() || draw_.uniform() < 0.4) {
      join();
    } else if (draw_.uniform() < 0.05) {
      scatter();
    } else {
      pass();
    }
    compare();
  }
  std::map<std::string, int> seen;

 private:
  void join() {
    Sequence& sequence = all_.emplace_back();
    sequence.request.prompt_tokens = draw_.uniform_int(1, 80);
    sequence.request.output_tokens = draw_.uniform_int(2, 60);
    sequence.promised = draw_.uniform_int(1, sequence.request.output_tokens - 1);
    sequence.computed = sequence.tokens() - 1;
    // Few instants, some of them that of the last step.
    sequence.last_token = Ticks{draw_.uniform() < 0.5 ? now_ : now_ - draw_.uniform_int(1, 3)};
    sequence.order = draw_.uniform_int(0, 1'000'000) * 100'000 + std::ssize(all_);
    list_.push_back({&sequence, sequence.computed, sequence.promised, sequence.last_token});
    set_.join(sequence);
  }

  void pass() {
    const std::int64_t most = set_.steps_to_finish();
    const std::int64_t steps = draw_.uniform() < 0.5 ? most : draw_.uniform_int(1, most);
    now_ += steps * 10;
    for (Plain& member : list_) {
      member.computed += steps;
      member.promised += steps;
      member.last_token = Ticks{now_};
    }
    set_.pass(steps, Ticks{now_});
    take_finished();
  }

  void take_finished() {
    std::vector<Plain> done;
    for (const Plain& member : list_) {
      if (member.promised == member.sequence->request.output_tokens) done.push_back(member);
    }
    std::erase_if(list_, [](const Plain& member) {
      return member.promised == member.sequence->request.output_tokens;
    });
    std::ranges::sort(done, {}, [](const Plain& member) { return member.sequence->order; });
    seen["several finish at once"] += done.size() > 1 ? 1 : 0;
    for (const Plain& member : done) {
      Sequence* next = set_.take_finished();
      REQUIRE(next == member.sequence);
      written_back(member);
    }
    REQUIRE(set_.take_finished() == nullptr);
  }

  void scatter() {
    set_.scatter();
    for (const Plain& member : list_) written_back(member);
    list_.clear();
    ++seen["scattered"];
  }

  void written_back(const Plain& member) const {
    CHECK(member.sequence->computed == member.computed);
    CHECK(member.sequence->promised == member.promised);
    CHECK((member.sequence->last_token == member.last_token));
  }

  void compare() {
    REQUIRE(set_.size() == std::ssize(list_));
    REQUIRE(set_.empty() == list_.empty());
    std::map<Ticks, std::int64_t> last, told;
    for (const Plain& member : list_) ++last[member.last_token];
    for (const auto& [end, count] : set_.last_tokens()) told[end] += count;
    CHECK((last == told));
    seen["tokens of several instants"] += last.size() > 1 ? 1 : 0;
    if (list_.empty()) return;
    compare_batch();
    compare_blocks();
    const auto missing = [](const Plain& member) {
      return member.sequence->request.output_tokens - member.promised;
    };
    std::int64_t least = missing(list_.front());
    for (const Plain& member : list_) least = std::min(least, missing(member));
    CHECK(set_.steps_to_finish() == least);
  }

  /// The next step computes token `computed` of each, whose context is all up to it.
  void compare_batch() {
    perf::Batch batch;
    perf::DecodeRun::Growth growth;
    for (const Plain& member : list_) {
      const std::int64_t context = member.computed + 1;
      batch.sum_context += context;
      batch.max_context = std::max(batch.max_context, context);
      if (!window_) continue;
      batch.sum_window += std::min(context, *window_);
      batch.max_window = std::max(batch.max_window, std::min(context, *window_));
      if (context >= *window_) continue;
      ++growth.window_sequences;
      growth.steps = std::min(growth.steps, *window_ - context);
    }
    growth.max_window = window_ && batch.max_context < *window_;
    const perf::Batch next = set_.next();
    CHECK(next.decodes == std::ssize(list_));
    CHECK(next.sampled == std::ssize(list_));
    CHECK(next.chunks.empty());
    CHECK(next.sum_context == batch.sum_context);
    CHECK(next.max_context == batch.max_context);
    CHECK(next.sum_window == batch.sum_window);
    CHECK(next.max_window == batch.max_window);
    CHECK(set_.growth().window_sequences == growth.window_sequences);
    CHECK(set_.growth().max_window == growth.max_window);
    CHECK(set_.growth().steps == growth.steps);
    seen["some within the window, some not"] +=
        growth.window_sequences > 0 && growth.window_sequences < std::ssize(list_) ? 1 : 0;
  }

  [[nodiscard]] std::int64_t blocks_needed(std::int64_t steps) const {
    std::int64_t blocks = 0;
    for (const Plain& member : list_) {
      blocks += blocks_for(member.computed + steps, block_tokens_) -
                blocks_for(member.computed, block_tokens_);
    }
    return blocks;
  }

  void compare_blocks() {
    const std::int64_t steps = draw_.uniform_int(1, 4 * block_tokens_);
    CHECK(set_.blocks_needed() == blocks_needed(1));
    CHECK(set_.takings(0, steps).blocks == blocks_needed(steps));

    const std::int64_t blocks = draw_.uniform_int(0, 3 * set_.size());
    const std::int64_t within = set_.steps_within(blocks);
    CHECK(blocks_needed(within) <= blocks);
    CHECK(blocks_needed(within + 1) > blocks);

    const std::int64_t from = draw_.uniform_int(0, 2 * block_tokens_);
    std::int64_t taken = 0, numbers = 0, squares = 0;
    for (std::int64_t step = from; step < from + steps; ++step) {
      const std::int64_t count = blocks_needed(step + 1) - blocks_needed(step);
      taken += count;
      numbers += count * step;
      squares += count * step * step;
    }
    const auto takings = set_.takings(from, from + steps);
    CHECK(takings.blocks == taken);
    CHECK(takings.steps == numbers);
    CHECK(takings.squares == squares);
    CHECK(set_.takings(from, from).blocks == 0);
  }

  RandomStream draw_;
  std::int64_t block_tokens_;
  std::optional<std::int64_t> window_;
  DecodeSet set_;
  std::deque<Sequence> all_;
  std::vector<Plain> list_;
  std::int64_t now_ = 1000;
};

}  // namespace

TEST_CASE("a set of decoding sequences tells what a list of them tells") {
  std::map<std::string, int> seen;
  std::uint64_t seed = 0;
  for (const std::int64_t block_tokens : {1, 3, 4, 16, 32}) {
    for (const std::optional<std::int64_t> window :
         {std::optional<std::int64_t>{}, std::optional<std::int64_t>{50}}) {
      Pair pair(seed++, block_tokens, window);
      for (int i = 0; i < 400; ++i) {
        INFO(block_tokens << " tokens a block, operation " << i);
        pair.operate();
      }
      for (const auto& [name, count] : pair.seen) seen[name] += count;
    }
  }
  CHECK(seen.size() == 4);
  for (const auto& [name, count] : seen) {
    INFO(name);
    CHECK(count > 10);
  }
}

TEST_CASE("members that finish with one step leave in running order, not in that of joining") {
  DecodeSet set(16, std::nullopt);
  std::deque<Sequence> sequences(3);
  for (const std::size_t i : {2, 0, 1}) {
    Sequence& sequence = sequences[i];
    sequence.order = static_cast<std::int64_t>(i);
    sequence.request.prompt_tokens = 10;
    sequence.request.output_tokens = 3;
    sequence.promised = 1;
    sequence.computed = 10;
    set.join(sequence);
  }
  set.pass(2, Ticks{500});
  for (Sequence& sequence : sequences) {
    CHECK(set.take_finished() == &sequence);
    CHECK(sequence.computed == 12);
    CHECK(sequence.promised == 3);
  }
  CHECK(set.take_finished() == nullptr);
  CHECK(set.last_tokens().empty());
}
