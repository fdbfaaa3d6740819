#pragma once

#include <vector>

#include "card.hpp"
#include "kernels/numbers.hpp"
#include "resources.hpp"

namespace gpucap::measure::cuda {

/// How many copies of `bytes` of operands to go round so that more than twice the L2 is touched
/// before one is used again; one is enough when it pushes itself out many times over.
std::int64_t copies_to_outrun(std::int64_t l2, std::int64_t bytes);

/// One set of a kernel's operands.
class OperandSet {
 public:
  OperandSet(unsigned char* base, const std::vector<std::int64_t>& offsets)
      : base_(base), offsets_(&offsets) {}
  void* operator[](std::size_t operand) const { return base_ + (*offsets_)[operand]; }

 private:
  unsigned char* base_;
  const std::vector<std::int64_t>* offsets_;
};

/// Equal sets of operands in the memory of a card. They lie in one piece, each operand at a bound
/// of 256 bytes.
class OperandSets {
 public:
  /// Sets of operands with so many bytes each. Throws Unavailable.
  OperandSets(const Card& card, const std::vector<std::int64_t>& bytes);
  /// Not moved once an OperandSet points here.
  OperandSets(OperandSets&&) = default;

  [[nodiscard]] std::int64_t count() const { return count_; }
  [[nodiscard]] OperandSet operator[](std::int64_t set) const {
    return {static_cast<unsigned char*>(memory_.get()) + set * stride_, offsets_};
  }
  /// Fills operand `operand` of the first set.
  void fill(std::size_t operand, Number number, const Matrix& matrix, std::uint64_t seed);
  void upload(std::size_t operand, const void* from, std::size_t bytes);
  /// Copies the first set to all others, and waits.
  void spread();

 private:
  std::vector<std::int64_t> offsets_;
  std::int64_t stride_ = 0, count_ = 0;
  DeviceMemory memory_;
};

}  // namespace gpucap::measure::cuda
