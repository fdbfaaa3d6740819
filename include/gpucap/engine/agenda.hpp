#pragma once

#include <compare>
#include <cstdint>
#include <queue>
#include <utility>
#include <vector>

#include "gpucap/units/sim_time.hpp"

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
    heap_.push({{time, phase, next_sequence_++}, std::move(event)});
  }
  [[nodiscard]] bool empty() const { return heap_.empty(); }
  [[nodiscard]] std::size_t size() const { return heap_.size(); }
  [[nodiscard]] const EventKey& next() const { return heap_.top().key; }

  /// Removes and returns the first event; the agenda must not be empty.
  std::pair<EventKey, Event> pop() {
    std::pair<EventKey, Event> first{heap_.top().key, heap_.top().event};
    heap_.pop();
    return first;
  }

 private:
  struct Entry {
    EventKey key;
    Event event;
    bool operator<(const Entry& other) const { return key > other.key; }
  };
  std::priority_queue<Entry> heap_;
  std::uint64_t next_sequence_ = 0;
};

}  // namespace gpucap::engine
