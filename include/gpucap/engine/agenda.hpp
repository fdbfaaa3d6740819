#pragma once

#include "gpucap/units/sim_time.hpp"

#include <algorithm>
#include <compare>
#include <cstdint>
#include <utility>
#include <vector>

namespace gpucap::engine {

/// What comes first among events of one instant: resources are released before new work arrives,
/// work arrives before anybody decides, and observers look last.
enum class Phase : std::uint8_t { release, arrive, decide, observe };

/// Total order of events: time, phase, then order of scheduling. No two events are ever equal, so
/// a run does not depend on how the heap is built.
struct EventKey {
  SimTime time;
  Phase phase = Phase::release;
  std::uint64_t sequence = 0;
  constexpr auto operator<=>(const EventKey&) const = default;
};

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
