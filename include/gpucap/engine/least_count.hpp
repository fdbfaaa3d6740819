#pragma once

#include "gpucap/engine/owner_heap.hpp"

#include <cstddef>
#include <cstdint>

namespace gpucap::engine {

/// A count for each of the owners 0..n-1, at first 0, and which of them has the least.
class LeastCount {
 public:
  explicit LeastCount(std::size_t owners) : heap_(owners) {
    for (std::size_t owner = 0; owner < owners; ++owner) set(owner, 0);
  }

  void set(std::size_t owner, std::int64_t count) { heap_.set({count, owner}); }
  void add(std::size_t owner, std::int64_t delta) { set(owner, count(owner) + delta); }

  [[nodiscard]] std::int64_t count(std::size_t owner) const { return heap_.key(owner).high; }
  /// The owner of the least count, the first one among equals; there must be an owner.
  [[nodiscard]] std::size_t least() const { return OwnerHeap::owner(heap_.first()); }

 private:
  OwnerHeap heap_;
};

}  // namespace gpucap::engine
