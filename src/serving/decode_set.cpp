#include "gpucap/serving/decode_set.hpp"

#include <limits>

namespace gpucap::serving {
namespace {

// Rows have at most 2^16 steps and blocks few tokens; division of 32 bits takes half the time.
std::int64_t short_quotient(std::int64_t a, std::int64_t b) {
  return static_cast<std::uint32_t>(a) / static_cast<std::uint32_t>(b);
}
std::int64_t short_remainder(std::int64_t a, std::int64_t b) {
  return static_cast<std::uint32_t>(a) % static_cast<std::uint32_t>(b);
}

std::size_t index(std::int64_t turn) {
  return static_cast<std::size_t>(turn);
}

}  // namespace

DecodeSet::DecodeSet(std::int64_t block_tokens, std::optional<std::int64_t> window)
    : block_tokens_(block_tokens),
      window_(window),
      by_turn_(static_cast<std::size_t>(block_tokens)) {}

void DecodeSet::join(Sequence& sequence) {
  sequence.joined = step_;
  const std::int64_t missing =
      std::max<std::int64_t>(1, sequence.request.output_tokens) - sequence.promised;
  // A block is taken in the step before which the computed tokens fill whole blocks.
  const std::int64_t filled = sequence.computed % block_tokens_;
  const std::int64_t turn = (turn_ + block_tokens_ - filled) % block_tokens_;
  const Member member{step_ + missing, sequence.computed - step_, sequence.order, turn, &sequence};
  longest_base_ = members_.empty() ? member.base : std::max(longest_base_, member.base);
  sum_base_ += member.base;
  ++by_turn_[index(turn)];
  members_.push_back(member);
  std::push_heap(members_.begin(), members_.end(), later);
  const auto known =
      std::ranges::find(last_tokens_, sequence.last_token, &std::pair<Ticks, std::int64_t>::first);
  if (known == last_tokens_.end()) {
    last_tokens_.emplace_back(sequence.last_token, 1);
  } else {
    ++known->second;
  }
}

void DecodeSet::write_back(const Member& member) const {
  Sequence& sequence = *member.sequence;
  sequence.computed = member.base + step_;
  sequence.promised =
      std::max<std::int64_t>(1, sequence.request.output_tokens) - (member.last_step - step_);
  if (sequence.joined < step_) sequence.last_token = last_tokens_.front().first;
}

void DecodeSet::scatter() {
  for (const Member& member : members_) write_back(member);
  members_.clear();
  last_tokens_.clear();
  sum_base_ = 0;
  std::ranges::fill(by_turn_, 0);
}

perf::Batch DecodeSet::next() const {
  perf::Batch batch;
  batch.decodes = batch.sampled = size();
  batch.sum_context = sum_base_ + size() * (step_ + 1);
  batch.max_context = longest_base_ + step_ + 1;
  if (window_) fill_window(batch);
  return batch;
}

void DecodeSet::fill_window(perf::Batch& batch) const {
  for (const Member& member : members_) {
    batch.sum_window += std::min(next_context(member), *window_);
  }
  batch.max_window = std::min(batch.max_context, *window_);
}

perf::DecodeRun::Growth DecodeSet::growth() const {
  perf::DecodeRun::Growth growth;
  if (!window_) return growth;
  for (const Member& member : members_) {
    const std::int64_t room = *window_ - next_context(member);
    if (room <= 0) continue;
    ++growth.window_sequences;
    growth.steps = std::min(growth.steps, room);
  }
  growth.max_window = longest_base_ + step_ + 1 < *window_;
  return growth;
}

std::int64_t DecodeSet::steps_within(std::int64_t blocks) const {
  std::int64_t steps = blocks / size() * block_tokens_;
  std::int64_t left = blocks % size();
  // In a whole round every member takes one, so this ends within it.
  for (std::int64_t turn = turn_;; ++steps) {
    left -= by_turn_[index(turn)];
    if (left < 0) return steps;
    if (++turn == block_tokens_) turn = 0;
  }
}

std::int64_t DecodeSet::steps_alike(std::int64_t blocks) const {
  const std::int64_t steps = steps_to_finish();
  // Members take at most one block each in every round that is begun.
  const std::int64_t rounds = short_quotient(steps, block_tokens_) + 1;
  return rounds * size() <= blocks ? steps : std::min(steps, steps_within(blocks));
}

DecodeSet::Takings DecodeSet::takings(std::int64_t from, std::int64_t to) const {
  if (from >= to) return {};
  // Members take their blocks one round of steps apart, at i, i + r, ...: q of them. Of the sums of
  // these and of their squares only the parts with i differ between turns.
  const std::int64_t r = block_tokens_;
  const std::int64_t whole = short_quotient(to - from, r);
  const std::int64_t rest = to - from - whole * r;
  const std::int64_t begin = short_remainder(turn_ + from, r);
  Takings sum;
  const auto add = [&](std::int64_t first, std::int64_t last, std::int64_t q) {
    Takings once;  // of the turns that come `first` to `last` steps after `from`
    std::int64_t turn = begin + first < r ? begin + first : begin + first - r;
    for (std::int64_t i = from + first; i < from + last; ++i) {
      const std::int64_t members = by_turn_[index(turn)];
      once.blocks += members;
      once.steps += members * i;
      once.squares += members * i * i;
      if (++turn == r) turn = 0;
    }
    const std::int64_t later = r * (q * (q - 1) / 2);
    const std::int64_t squares = r * r * (q * (q - 1) / 2 * (2 * q - 1) / 3);
    sum.blocks += q * once.blocks;
    sum.steps += q * once.steps + later * once.blocks;
    sum.squares += q * once.squares + 2 * later * once.steps + squares * once.blocks;
  };
  add(0, rest, whole + 1);
  if (whole > 0) add(rest, r, whole);
  return sum;
}

void DecodeSet::pass(std::int64_t steps, Ticks end) {
  step_ += steps;
  turn_ = short_remainder(turn_ + steps, block_tokens_);
  last_tokens_.clear();
  last_tokens_.emplace_back(end, size());
}

Sequence* DecodeSet::take_finished() {
  if (members_.empty() || members_.front().last_step > step_) return nullptr;
  std::pop_heap(members_.begin(), members_.end(), later);
  const Member member = members_.back();
  members_.pop_back();
  write_back(member);
  sum_base_ -= member.base;
  --by_turn_[index(member.turn)];
  if (member.base == longest_base_) find_longest();
  // Everybody was in the step just passed.
  if (--last_tokens_.front().second == 0) last_tokens_.clear();
  return member.sequence;
}

void DecodeSet::find_longest() {
  longest_base_ = std::numeric_limits<std::int64_t>::min();
  for (const Member& member : members_) longest_base_ = std::max(longest_base_, member.base);
}

}  // namespace gpucap::serving
