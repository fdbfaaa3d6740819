#pragma once

#include "gpucap/serving/sequence.hpp"

#include <deque>
#include <utility>
#include <vector>

namespace gpucap::serving {

/// Sequences at stable places. Those that have finished are used again, with the memory that their
/// vectors hold, so that a long run allocates as many as are in the system at once.
class SequencePool {
 public:
  Sequence& make(workload::Request&& request) {
    Sequence* sequence = nullptr;
    if (spare_.empty()) {
      sequence = &all_.emplace_back();
    } else {
      sequence = spare_.back();
      spare_.pop_back();
    }
    sequence->begin(std::move(request));
    return *sequence;
  }
  void give_back(Sequence& sequence) { spare_.push_back(&sequence); }

 private:
  std::deque<Sequence> all_;
  std::vector<Sequence*> spare_;
};

}  // namespace gpucap::serving
