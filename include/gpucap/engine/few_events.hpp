#pragma once

#include <array>
#include <cstddef>
#include <utility>

namespace gpucap::engine {

/// Up to eight entries, each with a `key`, in order: the first one stands last. One or two
/// comparisons keep a queue of two sorted, where a heap pays for its bookkeeping.
template <class Entry>
class FewEvents {
 public:
  [[nodiscard]] bool empty() const { return size_ == 0; }
  [[nodiscard]] bool full() const { return size_ == entries_.size(); }
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] const Entry& first() const { return entries_[size_ - 1]; }  ///< not when empty

  /// Not when full.
  void insert(Entry entry) {
    std::size_t place = size_++;
    for (; place > 0 && entries_[place - 1].key < entry.key; --place) {
      entries_[place] = std::move(entries_[place - 1]);
    }
    entries_[place] = std::move(entry);
  }

  /// Removes the first one, which stays to be moved from until the next insert().
  Entry& pop() { return entries_[--size_]; }

 private:
  std::array<Entry, 8> entries_{};
  std::size_t size_ = 0;
};

}  // namespace gpucap::engine
