#pragma once

#include "gpucap/engine/event_key.hpp"
#include "gpucap/engine/owner_heap.hpp"

#include <cstddef>
#include <cstdint>

namespace gpucap::engine {

/// One pending instant for each of the owners 0..n-1, or none. Total order: time, phase, owner.
class Timers {
 public:
  struct Due {
    SimTime time;
    Phase phase = Phase::release;
    std::size_t owner = 0;
    constexpr auto operator<=>(const Due&) const = default;
  };

  explicit Timers(std::size_t owners) : heap_(owners) {}

  /// Sets what an owner waits for, in place of what it waited for before.
  void set(std::size_t owner, SimTime time, Phase phase) {
    heap_.set({time.ns, static_cast<std::uint64_t>(phase) << 32 | owner});
  }
  /// The owner waits for nothing; it need not have waited.
  void clear(std::size_t owner) { heap_.clear(owner); }

  [[nodiscard]] bool empty() const { return heap_.empty(); }
  /// The first of all; there must be one.
  [[nodiscard]] Due next() const {
    const PackedKey key = heap_.first();
    return {{key.high}, static_cast<Phase>(key.low >> 32), OwnerHeap::owner(key)};
  }

 private:
  OwnerHeap heap_;
};

}  // namespace gpucap::engine
