#pragma once

#include <array>
#include <cstring>
#include <set>
#include <vector>

#include "reference.hpp"
#include "support/catch.hpp"

// A warp on the host: what ldmatrix and mma.sync do, written from the PTX ISA's own description of
// their fragments and from nothing of ours. Registers hold the numbers of a word as doubles.

namespace gpucap::measure::cuda::test {

constexpr int lanes = 32;

template <int PerWord>
using Word = std::array<double, PerWord>;

/// Register r of lane l: regs[l][r].
template <int PerWord, int Registers>
using Fragment = std::array<std::array<Word<PerWord>, Registers>, lanes>;

using Sums = std::array<std::array<double, 4>, lanes>;

/// Shared memory in which each byte must be written exactly once before it is read.
class SharedTile {
 public:
  explicit SharedTile(int bytes)
      : bytes_(static_cast<std::size_t>(bytes)), writes_(bytes_.size()) {}

  void write_chunk(int offset, const unsigned char* from) {
    REQUIRE(offset >= 0);
    REQUIRE(offset % 16 == 0);
    REQUIRE(static_cast<std::size_t>(offset) + 16 <= bytes_.size());
    std::memcpy(&bytes_[static_cast<std::size_t>(offset)], from, 16);
    ++writes_[static_cast<std::size_t>(offset)];
  }
  void require_complete() const {
    for (std::size_t at = 0; at < writes_.size(); at += 16) {
      if (writes_[at] != 1) FAIL("chunk at " << at << " written " << writes_[at] << " times");
    }
  }
  template <int PerWord>
  [[nodiscard]] double number(int byte, Number number) const {
    std::uint32_t bits = 0;
    std::memcpy(&bits, &bytes_.at(static_cast<std::size_t>(byte)), 4 / PerWord);
    return decoded(number, bits);
  }

 private:
  std::vector<unsigned char> bytes_;
  std::vector<int> writes_;
};

/// Each of the four matrices is read in one go: its rows must lie in different groups of banks.
inline void require_no_conflict(const std::array<int, lanes>& offsets) {
  for (int matrix = 0; matrix < 4; ++matrix) {
    std::set<int> groups;
    for (int row = 0; row < 8; ++row) {
      const int offset = offsets[static_cast<std::size_t>(8 * matrix + row)];
      REQUIRE(offset % 16 == 0);
      groups.insert(offset / 16 % 8);
    }
    REQUIRE(groups.size() == 8);
  }
}

/// ldmatrix.x4: `source(lane)` is the byte that the lane names. Matrix r has its rows at the bytes
/// of lanes 8 r to 8 r + 7; lane l receives word l % 4 of row l / 4.
template <int PerWord, class Source>
Fragment<PerWord, 4> load_matrices(const SharedTile& tile, Number number, Source source) {
  std::array<int, lanes> offsets{};
  for (int lane = 0; lane < lanes; ++lane) offsets[static_cast<std::size_t>(lane)] = source(lane);
  require_no_conflict(offsets);
  Fragment<PerWord, 4> out{};
  for (std::size_t lane = 0; lane < lanes; ++lane) {
    for (std::size_t r = 0; r < 4; ++r) {
      const int word = offsets[8 * r + lane / 4] + 4 * static_cast<int>(lane % 4);
      for (std::size_t i = 0; i < PerWord; ++i) {
        out[lane][r][i] = tile.number<PerWord>(word + static_cast<int>(i) * (4 / PerWord), number);
      }
    }
  }
  return out;
}

/// ldmatrix.x4.trans, 16-bit numbers: lane l receives column l / 4 of rows 2 (l % 4) and the next.
template <class Source>
Fragment<2, 4> load_transposed(const SharedTile& tile, Number number, Source source) {
  std::array<int, lanes> offsets{};
  for (int lane = 0; lane < lanes; ++lane) offsets[static_cast<std::size_t>(lane)] = source(lane);
  require_no_conflict(offsets);
  Fragment<2, 4> out{};
  for (std::size_t lane = 0; lane < lanes; ++lane) {
    for (std::size_t r = 0; r < 4; ++r) {
      for (std::size_t i = 0; i < 2; ++i) {
        const int row = offsets[8 * r + 2 * (lane % 4) + i];
        out[lane][r][i] = tile.number<2>(row + 2 * static_cast<int>(lane / 4), number);
      }
    }
  }
  return out;
}

/// mma.m16n8k16 (two numbers to a word) and .m16n8k32 (four): gathers A and B from the lanes as the
/// ISA lays them out, multiplies, and adds to C.
template <int PerWord>
void multiply(Sums& c, const Fragment<PerWord, 4>& a, const Fragment<PerWord, 2>& b) {
  constexpr int depth = 8 * PerWord;
  std::array<std::array<double, depth>, 16> left{};
  std::array<std::array<double, 8>, depth> right{};
  for (std::size_t lane = 0; lane < lanes; ++lane) {
    const std::size_t group = lane / 4, in_group = lane % 4;
    for (std::size_t i = 0; i < 4 * PerWord; ++i) {
      const std::size_t r = i / PerWord;
      const std::size_t row = r == 0 || r == 2 ? group : group + 8;
      const std::size_t column = in_group * PerWord + i % PerWord + (r >= 2 ? depth / 2 : 0);
      left[row][column] = a[lane][r][i % PerWord];
    }
    for (std::size_t i = 0; i < 2 * PerWord; ++i) {
      const std::size_t row = in_group * PerWord + i % PerWord + (i >= PerWord ? depth / 2 : 0);
      right[row][group] = b[lane][i / PerWord][i % PerWord];
    }
  }
  for (std::size_t lane = 0; lane < lanes; ++lane) {
    for (std::size_t i = 0; i < 4; ++i) {
      const std::size_t row = lane / 4 + (i < 2 ? 0 : 8), column = lane % 4 * 2 + i % 2;
      for (std::size_t k = 0; k < depth; ++k) c[lane][i] += left[row][k] * right[k][column];
    }
  }
}

/// Registers `first` and the next as a right operand.
template <int PerWord>
Fragment<PerWord, 2> pair(const Fragment<PerWord, 4>& four, std::size_t first) {
  Fragment<PerWord, 2> two{};
  for (std::size_t lane = 0; lane < lanes; ++lane) {
    two[lane] = {four[lane][first], four[lane][first + 1]};
  }
  return two;
}

/// A matrix of drawn numbers as `fill` lays it into memory.
inline std::vector<unsigned char> memory_of(const Matrix& matrix, Number number,
                                            std::uint64_t seed) {
  const NumberFormat format = format_of(number);
  const auto numbers = static_cast<std::size_t>(matrix.rows * matrix.pitch);
  const auto each = static_cast<std::size_t>(format.bytes);
  std::vector<unsigned char> memory(numbers * each);
  for (std::size_t at = 0; at < numbers; ++at) {
    const int integer = drawn_at(matrix, seed, static_cast<std::int64_t>(at), format.drawn_bits);
    const std::uint32_t bits = encoded(number, integer);
    std::memcpy(&memory[at * each], &bits, each);
  }
  return memory;
}

}  // namespace gpucap::measure::cuda::test
