#include "gpucap/serving/decode_set.hpp"

#include <limits>

namespace gpucap::serving {

DecodeSet::DecodeSet(std::int64_t block_tokens, std::optional<std::int64_t> window)
    : block_tokens_(block_tokens),
      window_(window),
      by_turn_(static_cast<std::size_t>(block_tokens)) {}

/// A block is taken in the step before which the computed tokens fill whole blocks.
std::size_t DecodeSet::turn_of(const Member& member) const {
  const std::int64_t rest = -member.base % block_tokens_;
  return static_cast<std::size_t>(rest < 0 ? rest + block_tokens_ : rest);
}

void DecodeSet::join(Sequence& sequence) {
  sequence.joined = step_;
  const std::int64_t missing =
      std::max<std::int64_t>(1, sequence.request.output_tokens) - sequence.promised;
  const Member member{step_ + missing, sequence.computed - step_, sequence.order, &sequence};
  longest_base_ = members_.empty() ? member.base : std::max(longest_base_, member.base);
  sum_base_ += member.base;
  ++by_turn_[turn_of(member)];
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
    left -= by_turn_[static_cast<std::size_t>(turn)];
    if (left < 0) return steps;
    if (++turn == block_tokens_) turn = 0;
  }
}

DecodeSet::Takings DecodeSet::takings(std::int64_t from, std::int64_t to) const {
  // A member takes its blocks one round of steps apart, at i, i + r, ...: q of them. Of the sums of
  // these and of their squares only the parts with i differ between members.
  struct Rounds {
    std::int64_t q, sum, squares;
  };
  const std::int64_t r = block_tokens_;
  const auto rounds = [r](std::int64_t q) {
    return Rounds{q, r * (q * (q - 1) / 2), r * r * (q * (q - 1) / 2 * (2 * q - 1) / 3)};
  };
  const std::int64_t whole = (to - from) / r;
  const std::int64_t rest = (to - from) % r;
  const Rounds usual = rounds(whole), more = rounds(whole + 1);
  Takings sum;
  std::int64_t turn = (turn_ + from) % r;
  for (std::int64_t i = from; i < from + (whole > 0 ? r : rest); ++i) {
    const std::int64_t members = by_turn_[static_cast<std::size_t>(turn)];
    if (++turn == r) turn = 0;
    if (members == 0) continue;
    const Rounds& all = i - from < rest ? more : usual;
    sum.blocks += members * all.q;
    sum.steps += members * (all.q * i + all.sum);
    sum.squares += members * (all.q * i * i + 2 * i * all.sum + all.squares);
  }
  return sum;
}

void DecodeSet::pass(std::int64_t steps, Ticks end) {
  step_ += steps;
  turn_ = (turn_ + steps) % block_tokens_;
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
  --by_turn_[turn_of(member)];
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
