#pragma once

#include <cstdint>

#include "hd.hpp"

namespace gpucap::measure::cuda {

// Operands are random numbers that host and device work out alike from (seed, index), so a check
// of a result needs no copy of its operands. They are integers over a power of two with as many
// bits as the format holds exactly: every mantissa bit varies, as in real data, since the bits
// that switch are what a power cap acts on.

enum class Number : std::uint8_t { fp16, bf16, e4m3, int8, fp32 };

struct NumberFormat {
  int exponent_bits, mantissa_bits;  ///< 0 exponent bits: an integer
  int drawn_bits;                    ///< signed integers of so many bits are exact in the format
  int bytes;
};

GPUCAP_HD constexpr NumberFormat format_of(Number number) {
  switch (number) {
    case Number::fp16:
      return {5, 10, 12, 2};
    case Number::bf16:
      return {8, 7, 9, 2};
    case Number::e4m3:
      return {4, 3, 5, 1};
    case Number::int8:
      return {0, 7, 8, 1};
    case Number::fp32:
      return {8, 23, 12, 4};
  }
  return {};
}

/// A well mixed 64-bit word (finalizer of splitmix64).
GPUCAP_HD constexpr std::uint64_t mixed(std::uint64_t x) {
  x = (x ^ (x >> 30U)) * 0xBF58476D1CE4E5B9U;
  x = (x ^ (x >> 27U)) * 0x94D049BB133111EBU;
  return x ^ (x >> 31U);
}

/// Element `index` of the stream `seed`: uniform in [-2^(bits-1), 2^(bits-1)).
GPUCAP_HD constexpr int drawn(std::uint64_t seed, std::uint64_t index, int bits) {
  const std::uint64_t word = mixed(mixed(seed) + (index + 1) * 0x9E3779B97F4A7C15U);
  return static_cast<int>(word >> static_cast<unsigned>(64 - bits)) - (1 << (bits - 1));
}

/// Position of the highest set bit; `magnitude` > 0.
GPUCAP_HD constexpr int highest_bit(unsigned magnitude) {
  int position = 0;
  while (magnitude >>= 1U) ++position;
  return position;
}

/// The bits of the number `integer` / 2^(drawn_bits - 1), or of the integer itself for int8.
GPUCAP_HD constexpr std::uint32_t encoded(Number number, int integer) {
  const NumberFormat f = format_of(number);
  if (f.exponent_bits == 0) return static_cast<std::uint32_t>(integer) & 0xFFU;
  if (integer == 0) return 0;
  const unsigned magnitude = static_cast<unsigned>(integer < 0 ? -integer : integer);
  const int top = highest_bit(magnitude);
  const int exponent = top - (f.drawn_bits - 1) + (1 << (f.exponent_bits - 1)) - 1;
  const int spare = f.mantissa_bits - top;  // -1 for the power of two that ends the range
  const unsigned whole = spare < 0 ? magnitude >> static_cast<unsigned>(-spare)
                                   : magnitude << static_cast<unsigned>(spare);
  const unsigned mantissa = whole & ((1U << static_cast<unsigned>(f.mantissa_bits)) - 1);
  const unsigned sign = integer < 0 ? 1U : 0U;
  return (sign << static_cast<unsigned>(f.exponent_bits + f.mantissa_bits)) |
         (static_cast<unsigned>(exponent) << static_cast<unsigned>(f.mantissa_bits)) | mantissa;
}

/// What element `index` of the stream `seed` is worth in the format.
GPUCAP_HD constexpr double drawn_value(Number number, std::uint64_t seed, std::uint64_t index) {
  const NumberFormat f = format_of(number);
  const int integer = drawn(seed, index, f.drawn_bits);
  return f.exponent_bits == 0 ? integer : integer / static_cast<double>(1 << (f.drawn_bits - 1));
}

/// A matrix in memory: element (r, c) is number r * pitch + c, and number r * columns + c of its
/// random stream. What lies between `columns` and `pitch` is zero.
struct Matrix {
  std::int64_t rows = 0, columns = 0, pitch = 0;
};

/// Rows that start at 16-byte bounds, as 16-byte loads need.
GPUCAP_HD constexpr Matrix aligned_matrix(std::int64_t rows, std::int64_t columns, int bytes) {
  return {rows, columns, round_up<std::int64_t>(columns, 16 / bytes)};
}

/// Integer to be encoded at `position` of a matrix in memory.
GPUCAP_HD constexpr int drawn_at(const Matrix& matrix, std::uint64_t seed, std::int64_t position,
                                 int bits) {
  const std::int64_t row = position / matrix.pitch, column = position % matrix.pitch;
  if (column >= matrix.columns) return 0;
  return drawn(seed, static_cast<std::uint64_t>(row * matrix.columns + column), bits);
}

}  // namespace gpucap::measure::cuda
