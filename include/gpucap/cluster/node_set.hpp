#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace gpucap::cluster {

/// A set of node numbers that finds its least one 64 nodes at a time.
class NodeSet {
 public:
  explicit NodeSet(std::size_t nodes) : words_((nodes + 63) / 64) {}

  void insert(std::uint32_t node) {
    words_[node / 64] |= bit(node);
    ++size_;
  }
  void erase(std::uint32_t node) {
    words_[node / 64] &= ~bit(node);
    --size_;
  }
  [[nodiscard]] std::size_t size() const { return size_; }
  /// The least number that is not below `from`; there must be one.
  [[nodiscard]] std::uint32_t first(std::uint32_t from = 0) const {
    std::size_t word = from / 64;
    std::uint64_t bits = words_[word] & (~std::uint64_t{0} << (from % 64));
    while (bits == 0) bits = words_[++word];
    return static_cast<std::uint32_t>(word * 64) +
           static_cast<std::uint32_t>(std::countr_zero(bits));
  }

 private:
  static std::uint64_t bit(std::uint32_t node) { return std::uint64_t{1} << (node % 64); }

  std::vector<std::uint64_t> words_;
  std::size_t size_ = 0;
};

}  // namespace gpucap::cluster
