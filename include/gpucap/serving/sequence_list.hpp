#pragma once

#include "gpucap/serving/sequence.hpp"

#include <cstdint>

namespace gpucap::serving {

/// Sequences in a row, linked through themselves: joining and leaving anywhere costs nothing and
/// allocates nothing. A sequence stands in one list at a time.
class SequenceList {
 public:
  [[nodiscard]] bool empty() const { return size_ == 0; }
  [[nodiscard]] std::int64_t size() const { return size_; }
  [[nodiscard]] Sequence* front() const { return front_; }
  [[nodiscard]] Sequence* back() const { return back_; }

  void push_back(Sequence& sequence) { insert(sequence, back_, nullptr); }
  void push_front(Sequence& sequence) { insert(sequence, nullptr, front_); }
  void remove(Sequence& sequence) {
    (sequence.before == nullptr ? front_ : sequence.before->after) = sequence.after;
    (sequence.after == nullptr ? back_ : sequence.after->before) = sequence.before;
    sequence.before = sequence.after = nullptr;
    --size_;
  }

 private:
  void insert(Sequence& sequence, Sequence* before, Sequence* after) {
    sequence.before = before;
    sequence.after = after;
    (before == nullptr ? front_ : before->after) = &sequence;
    (after == nullptr ? back_ : after->before) = &sequence;
    ++size_;
  }

  Sequence* front_ = nullptr;
  Sequence* back_ = nullptr;
  std::int64_t size_ = 0;
};

}  // namespace gpucap::serving
