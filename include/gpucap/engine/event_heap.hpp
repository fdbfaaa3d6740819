#pragma once

#include "gpucap/engine/key_heap.hpp"

#include <cstddef>
#include <utility>
#include <vector>

namespace gpucap::engine {

/// A heap of keys with an event beside each.
///
/// Most events schedule another one as they are handled. So pop() leaves its place open, and the
/// next push() lets the new key sink from there: one pass through the heap instead of two.
template <class Event>
class EventHeap {
 public:
  struct Entry {
    PackedKey key;
    Event event;
  };

  [[nodiscard]] bool empty() const { return size() == 0; }
  [[nodiscard]] std::size_t size() const { return keys_.size() - (open_ ? 1 : 0); }
  /// The first key; there must be one.
  [[nodiscard]] PackedKey first() const {
    return keys_[open_ ? keys_.least_child(KeyHeap::root) : KeyHeap::root];
  }

  void push(PackedKey key, Event event) {
    if (open_) {
      open_ = false;
      event_at(keys_.sink(KeyHeap::root, key, move_event())) = std::move(event);
    } else {
      events_.push_back(std::move(event));
      rise(key);
    }
  }

  /// Removes and returns the first entry; there must be one.
  Entry pop() {
    if (open_) close();
    open_ = true;
    return {keys_[KeyHeap::root], std::move(events_.front())};
  }

  /// Moves all entries to the end of `entries`, in no order.
  void drain_to(std::vector<Entry>& entries) {
    if (open_) close();
    while (!keys_.empty()) {
      const PackedKey key = keys_.shrink();
      entries.push_back({key, std::move(events_.back())});
      events_.pop_back();
    }
  }

 private:
  Event& event_at(std::size_t place) { return events_[place - KeyHeap::root]; }
  auto move_event() {
    return [this](std::size_t to, std::size_t from) { event_at(to) = std::move(event_at(from)); };
  }

  /// Brings the event that stands at the end to its place.
  void rise(PackedKey key) {
    Event held = std::move(events_.back());
    event_at(keys_.rise(keys_.grow(), key, move_event())) = std::move(held);
  }

  /// Fills the place that the last pop() left open with the last entry.
  void close() {
    open_ = false;
    const PackedKey last = keys_.shrink();
    if (keys_.empty()) {
      events_.clear();
      return;
    }
    Event held = std::move(events_.back());
    events_.pop_back();
    event_at(keys_.sink(KeyHeap::root, last, move_event())) = std::move(held);
  }

  KeyHeap keys_;
  std::vector<Event> events_;
  bool open_ = false;  // the root is to be filled
};

}  // namespace gpucap::engine
