#pragma once

#include "gpucap/engine/event_key.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

namespace gpucap::engine {

/// Future events in order. Event is any movable value; the agenda knows nothing of its meaning.
template <class Event>
class Agenda {
 public:
  void schedule(SimTime time, Phase phase, Event event) {
    heap_.push_back({{time, phase, next_sequence_++}, std::move(event)});
    std::push_heap(heap_.begin(), heap_.end(), later);
  }
  [[nodiscard]] bool empty() const { return heap_.empty(); }
  [[nodiscard]] std::size_t size() const { return heap_.size(); }
  [[nodiscard]] const EventKey& next() const { return heap_.front().first; }

  /// Removes and returns the first event; the agenda must not be empty.
  std::pair<EventKey, Event> pop() {
    std::pop_heap(heap_.begin(), heap_.end(), later);
    Entry first = std::move(heap_.back());
    heap_.pop_back();
    return first;
  }

 private:
  using Entry = std::pair<EventKey, Event>;
  static bool later(const Entry& a, const Entry& b) { return a.first > b.first; }

  std::vector<Entry> heap_;  // a binary heap, the first event in front
  std::uint64_t next_sequence_ = 0;
};

}  // namespace gpucap::engine
