#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace gpucap::engine {

/// Sixteen bytes that order like the pair (high, low). Without arguments: after every other key.
struct PackedKey {
  std::int64_t high = std::numeric_limits<std::int64_t>::max();
  std::uint64_t low = std::numeric_limits<std::uint64_t>::max();

  /// Without a branch: which of two keys is first is nobody's guess.
  friend constexpr bool operator<(const PackedKey& a, const PackedKey& b) {
    const int by_high = a.high < b.high, equal = a.high == b.high, by_low = a.low < b.low;
    return (by_high | (equal & by_low)) != 0;
  }
};

/// The keys of a heap of which every place has four children. Whoever owns it holds something
/// beside each key and is told of every move: moved(to, from) after the key at `from` went to `to`.
///
/// Four siblings fill one cache line, so a level of the heap costs one line. The root stands at
/// place 3 to let siblings begin at a multiple of four; unused places hold the last of all keys.
class KeyHeap {
 public:
  static constexpr std::size_t root = 3;

  [[nodiscard]] bool empty() const { return end_ == root; }
  [[nodiscard]] std::size_t size() const { return end_ - root; }
  [[nodiscard]] std::size_t last() const { return end_ - 1; }  ///< place of the last key
  [[nodiscard]] const PackedKey& operator[](std::size_t place) const {
    return groups_[place / 4].keys[place % 4];
  }

  void reserve(std::size_t keys) { groups_.reserve((root + keys + 3) / 4); }

  /// Opens one place at the end and returns it; put() or rise() must fill it.
  std::size_t grow() {
    if (end_ / 4 >= groups_.size()) groups_.emplace_back();
    return end_++;
  }

  /// Removes the last place and returns the key that was there.
  PackedKey shrink() {
    PackedKey& place = at(--end_);
    const PackedKey key = place;
    if (end_ % 4 == 0) {
      groups_.pop_back();
    } else {
      place = {};
    }
    return key;
  }

  /// Puts a key where it belongs, given an open place to start from; returns its place.
  template <class Moved>
  std::size_t put(std::size_t open, PackedKey key, Moved moved) {
    const bool first = open == root || !(key < at(parent(open)));
    return first ? sink(open, key, moved) : rise(open, key, moved);
  }

  /// The same for a key that cannot belong further down.
  template <class Moved>
  std::size_t rise(std::size_t open, PackedKey key, Moved moved) {
    while (open != root) {
      const std::size_t above = parent(open);
      if (!(key < at(above))) break;
      at(open) = at(above);
      moved(open, above);
      open = above;
    }
    at(open) = key;
    return open;
  }

  /// The same for a key that cannot belong further up.
  template <class Moved>
  std::size_t sink(std::size_t open, PackedKey key, Moved moved) {
    while (children(open) < groups_.size()) {
      const std::size_t below = least_child(open);
      if (!(at(below) < key)) break;
      at(open) = at(below);
      moved(open, below);
      open = below;
    }
    at(open) = key;
    return open;
  }

  /// Place of the first key below a place that has children. Moves of data instead of branches,
  /// which would be guesses, and mostly of the high half alone: half the time of a plain loop.
  [[nodiscard]] std::size_t least_child(std::size_t place) const {
    const std::size_t group = children(place);
    const PackedKey* keys = groups_[group].keys;
    const std::int64_t a = keys[0].high, b = keys[1].high, c = keys[2].high, d = keys[3].high;
    const std::int64_t ab = b < a ? b : a, cd = d < c ? d : c;
    if ((a == b) | (c == d) | (ab == cd)) return least_of_ties(group);
    const std::size_t first = b < a, second = 2 + std::size_t{d < c};
    return group * 4 + (cd < ab ? second : first);
  }

 private:
  struct alignas(64) Group {
    PackedKey keys[4];
  };

  [[nodiscard]] std::size_t least_of_ties(std::size_t group) const {
    const PackedKey* keys = groups_[group].keys;
    const std::size_t a = keys[1] < keys[0], b = 2 + std::size_t{keys[3] < keys[2]};
    return group * 4 + a + (b - a) * std::size_t{keys[b] < keys[a]};
  }

  static constexpr std::size_t children(std::size_t place) { return place - 2; }  ///< their group
  static constexpr std::size_t parent(std::size_t place) { return place / 4 + 2; }
  PackedKey& at(std::size_t place) { return groups_[place / 4].keys[place % 4]; }

  std::vector<Group> groups_{1};
  std::size_t end_ = root;
};

}  // namespace gpucap::engine
