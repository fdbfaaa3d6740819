#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace gpucap::serving {

/// Block by content hash. Open addressing in one array: hashes are mixed well already, and a
/// look-up in a large cache costs one miss of memory where nodes of a list would cost three.
class ContentTable {
 public:
  using Hash = std::uint64_t;  ///< 0 is no hash
  using Content = std::uint32_t;

  /// Null when the hash is unknown. Valid until the next insertion or erasure.
  [[nodiscard]] const Content* find(Hash hash) const {
    const Slot& slot = slots_[place_of(hash)];
    return slot.hash == hash ? &slot.content : nullptr;
  }
  [[nodiscard]] Content* find(Hash hash) {
    Slot& slot = slots_[place_of(hash)];
    return slot.hash == hash ? &slot.content : nullptr;
  }
  /// The hash must be unknown.
  void insert(Hash hash, Content content) {
    if (2 * (size_ + 1) > slots_.size()) grow();
    slots_[place_of(hash)] = {hash, content};
    ++size_;
  }
  /// The hash must be known. Those behind it that were pushed aside move up, so no gap stays in
  /// which a later search would end.
  void erase(Hash hash) {
    std::size_t gap = place_of(hash);
    for (std::size_t next = after(gap); slots_[next].hash != 0; next = after(next)) {
      const std::size_t wanted = slots_[next].hash & mask();
      if (((next - wanted) & mask()) < ((next - gap) & mask())) continue;
      slots_[gap] = slots_[next];
      gap = next;
    }
    slots_[gap] = {};
    --size_;
  }

 private:
  struct Slot {
    Hash hash = 0;
    Content content = 0;
  };

  [[nodiscard]] std::size_t mask() const { return slots_.size() - 1; }
  [[nodiscard]] std::size_t after(std::size_t place) const { return (place + 1) & mask(); }
  /// Where the hash stands, or would stand.
  [[nodiscard]] std::size_t place_of(Hash hash) const {
    std::size_t place = hash & mask();
    while (slots_[place].hash != 0 && slots_[place].hash != hash) place = after(place);
    return place;
  }
  void grow() {
    std::vector<Slot> old(2 * slots_.size());
    old.swap(slots_);
    for (const Slot& slot : old) {
      if (slot.hash != 0) slots_[place_of(slot.hash)] = slot;
    }
  }

  std::vector<Slot> slots_{16};  // a power of two, at most half of them in use
  std::size_t size_ = 0;
};

}  // namespace gpucap::serving
