#pragma once

#include "gpucap/engine/key_heap.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace gpucap::engine {

/// At most one key for each of n owners (n < 2^32), the first one at hand; a change costs O(log n)
/// and less when the key moves little. 20 bytes per owner. The lower 32 bits of a key name its
/// owner. The keys of a few owners stand in an array, which is looked through when the first one
/// moves back: for so few that takes less than a heap.
class OwnerHeap {
 public:
  explicit OwnerHeap(std::size_t owners) : few_(owners <= most_of_few) {
    if (few_) {
      keys_.resize(std::max<std::size_t>(1, owners));
    } else {
      places_.resize(owners, nowhere);
      heap_.reserve(owners);
    }
  }

  [[nodiscard]] bool empty() const { return few_ ? !held(keys_[first_]) : heap_.empty(); }
  [[nodiscard]] bool holds(std::size_t owner) const {
    return few_ ? held(keys_[owner]) : places_[owner] != nowhere;
  }
  /// Not when empty.
  [[nodiscard]] const PackedKey& first() const {
    return few_ ? keys_[first_] : heap_[KeyHeap::root];
  }
  [[nodiscard]] const PackedKey& key(std::size_t owner) const {
    return few_ ? keys_[owner] : heap_[places_[owner]];
  }

  static constexpr std::size_t owner(PackedKey key) { return static_cast<std::uint32_t>(key.low); }

  /// Inserts the key of an owner, or moves the one that it has.
  void set(PackedKey key) {
    const std::size_t whose = owner(key);
    if (few_) {
      set_one_of_few(whose, key);
    } else {
      const std::uint32_t place = places_[whose];
      put(place == nowhere ? heap_.grow() : place, key);
    }
  }

  /// Removes the key of an owner, if it has one.
  void clear(std::size_t owner) {
    if (few_) {
      set_one_of_few(owner, {});
      return;
    }
    const std::uint32_t place = places_[owner];
    if (place == nowhere) return;
    places_[owner] = nowhere;
    const bool was_last = place == heap_.last();
    const PackedKey last = heap_.shrink();
    if (!was_last) put(place, last);
  }

 private:
  static constexpr std::size_t most_of_few = 8;
  static constexpr std::uint32_t nowhere = std::numeric_limits<std::uint32_t>::max();

  static bool held(PackedKey key) { return key < PackedKey{}; }

  void set_one_of_few(std::size_t owner, PackedKey key) {
    const bool forward = key < keys_[first_];
    keys_[owner] = key;
    if (forward) {
      first_ = owner;
    } else if (owner == first_) {
      first_ = first_of_few();
    }
  }

  /// By the high halves alone, which takes half as long, unless two are equal where it matters.
  [[nodiscard]] std::size_t first_of_few() const {
    std::size_t first = 0;
    bool tie = false;
    for (std::size_t other = 1; other < keys_.size(); ++other) {
      const std::int64_t high = keys_[other].high, least = keys_[first].high;
      tie |= high == least;
      first = high < least ? other : first;
    }
    return tie ? first_of_ties() : first;
  }
  [[nodiscard]] std::size_t first_of_ties() const {
    std::size_t first = 0;
    for (std::size_t other = 1; other < keys_.size(); ++other) {
      first = keys_[other] < keys_[first] ? other : first;
    }
    return first;
  }

  void put(std::size_t open, PackedKey key) {
    const auto moved = [this](std::size_t to, std::size_t) { note(heap_[to], to); };
    note(key, heap_.put(open, key, moved));
  }
  void note(PackedKey key, std::size_t place) {
    places_[owner(key)] = static_cast<std::uint32_t>(place);
  }

  bool few_;
  std::vector<PackedKey> keys_;  // of a few owners; a key after all others stands for none
  std::size_t first_ = 0;
  KeyHeap heap_;
  std::vector<std::uint32_t> places_;  // of each owner's key
};

}  // namespace gpucap::engine
