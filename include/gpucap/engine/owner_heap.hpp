#pragma once

#include "gpucap/engine/key_heap.hpp"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace gpucap::engine {

/// At most one key for each of n owners (n < 2^32), the first one at hand; a change costs O(log n)
/// and less when the key moves little. 20 bytes per owner. The lower 32 bits of a key name its
/// owner.
class OwnerHeap {
 public:
  explicit OwnerHeap(std::size_t owners) : places_(owners, nowhere) { heap_.reserve(owners); }

  [[nodiscard]] bool empty() const { return heap_.empty(); }
  [[nodiscard]] bool holds(std::size_t owner) const { return places_[owner] != nowhere; }
  [[nodiscard]] const PackedKey& first() const { return heap_[KeyHeap::root]; }  ///< not when empty
  [[nodiscard]] const PackedKey& key(std::size_t owner) const { return heap_[places_[owner]]; }

  static constexpr std::size_t owner(PackedKey key) { return static_cast<std::uint32_t>(key.low); }

  /// Inserts the key of an owner, or moves the one that it has.
  void set(PackedKey key) {
    const std::uint32_t place = places_[owner(key)];
    put(place == nowhere ? heap_.grow() : place, key);
  }

  /// Removes the key of an owner, if it has one.
  void clear(std::size_t owner) {
    const std::uint32_t place = places_[owner];
    if (place == nowhere) return;
    places_[owner] = nowhere;
    const bool was_last = place == heap_.last();
    const PackedKey last = heap_.shrink();
    if (!was_last) put(place, last);
  }

 private:
  static constexpr std::uint32_t nowhere = std::numeric_limits<std::uint32_t>::max();

  void put(std::size_t open, PackedKey key) {
    const auto moved = [this](std::size_t to, std::size_t) { note(heap_[to], to); };
    note(key, heap_.put(open, key, moved));
  }
  void note(PackedKey key, std::size_t place) {
    places_[owner(key)] = static_cast<std::uint32_t>(place);
  }

  KeyHeap heap_;
  std::vector<std::uint32_t> places_;  // of each owner's key
};

}  // namespace gpucap::engine
