#pragma once

#include "gpucap/engine/event_heap.hpp"
#include "gpucap/engine/event_key.hpp"
#include "gpucap/engine/few_events.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace gpucap::engine {

/// Future events in order. Event is any movable value with a default that is worth moving a few
/// dozen times; up to 2^62 of them can be scheduled.
///
/// While there are few events, all stand sorted; one too many sends them to a heap, and they are
/// few again once it has run empty.
///
/// A large heap waits for memory at every level. So only the nearest few thousand events stand in
/// a heap. Those beyond lie in bands, unsorted, each band later than the next one; the last band
/// is halved by time, again and again, until its earlier part fits into the heap. An event that
/// is far away is appended to its band and touched about once per halving, in order of memory.
template <class Event>
class Agenda {
 public:
  void schedule(SimTime time, Phase phase, Event event) {
    const PackedKey key{time.ns, static_cast<std::uint64_t>(phase) << phase_shift | next_sequence_};
    ++next_sequence_;
    if (near_.empty()) {
      if (!few_.full()) return few_.insert({key, std::move(event)});
      while (!few_.empty()) to_heap(few_.pop());
    }
    schedule_among_many({key, std::move(event)});
  }

  [[nodiscard]] bool empty() const { return few_.empty() && near_.empty(); }
  [[nodiscard]] std::size_t size() const {
    std::size_t size = few_.size() + near_.size();
    for (const Band& band : bands_) size += band.entries.size();
    return size;
  }
  /// Key of the first event; the agenda must not be empty.
  [[nodiscard]] EventKey next() const {
    return unpack(few_.empty() ? near_.first() : few_.first().key);
  }

  /// Removes and returns the first event; the agenda must not be empty.
  std::pair<EventKey, Event> pop() {
    if (!few_.empty()) return unpacked(few_.pop());
    Entry first = near_.pop();
    if (near_.empty() && !bands_.empty()) refill();
    return unpacked(first);
  }

 private:
  using Entry = typename EventHeap<Event>::Entry;
  struct Band {
    PackedKey from;  // no key of the band is before it, every key of the next band is
    std::vector<Entry> entries;
  };

  static constexpr int phase_shift = 62;
  static constexpr std::size_t near_limit = 16384;  // small events and their keys fit the L2 cache

  static EventKey unpack(PackedKey key) {
    constexpr std::uint64_t sequence = (std::uint64_t{1} << phase_shift) - 1;
    return {{key.high}, static_cast<Phase>(key.low >> phase_shift), key.low & sequence};
  }

  static std::pair<EventKey, Event> unpacked(Entry& entry) {
    return {unpack(entry.key), std::move(entry.event)};
  }

  void schedule_among_many(Entry entry) {
    if (bands_.empty() || entry.key < bands_.back().from) {
      to_heap(entry);
      if (near_.size() > near_limit) spill();
    } else {
      band_of(entry.key).entries.push_back(std::move(entry));
    }
  }

  Band& band_of(PackedKey key) {
    auto band = bands_.begin();
    while (key < band->from) ++band;
    return *band;
  }

  /// Moves the later half of a heap that has grown too large to a new band.
  void spill() {
    bands_.emplace_back();
    near_.drain_to(bands_.back().entries);
    to_heap(split_off_earlier(bands_.back()));
  }

  /// Fills the empty heap with the earliest events of the bands.
  void refill() {
    while (bands_.back().entries.size() > near_limit / 2) {
      const PackedKey from = bands_.back().from;
      auto earlier = split_off_earlier(bands_.back());
      bands_.push_back({from, std::move(earlier)});
    }
    auto entries = std::move(bands_.back().entries);
    bands_.pop_back();
    to_heap(std::move(entries));
  }

  /// Takes the earlier half out of a band.
  static std::vector<Entry> split_off_earlier(Band& band) {
    auto& entries = band.entries;
    const auto middle = entries.begin() + static_cast<std::ptrdiff_t>((entries.size() - 1) / 2);
    std::nth_element(entries.begin(), middle, entries.end(),
                     [](const Entry& a, const Entry& b) { return b.key < a.key; });
    band.from = middle->key;
    std::vector<Entry> earlier(std::make_move_iterator(middle + 1),
                               std::make_move_iterator(entries.end()));
    entries.erase(middle + 1, entries.end());
    return earlier;
  }

  void to_heap(Entry& entry) { near_.push(entry.key, std::move(entry.event)); }
  void to_heap(std::vector<Entry> entries) {
    for (Entry& entry : entries) to_heap(entry);
  }

  FewEvents<Entry> few_;     // all events, or none while others are in the heap and the bands
  EventHeap<Event> near_;    // empty only when there is no other event but the few
  std::vector<Band> bands_;  // from the latest to the earliest
  std::uint64_t next_sequence_ = 0;
};

}  // namespace gpucap::engine
