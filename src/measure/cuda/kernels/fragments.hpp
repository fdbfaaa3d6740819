#pragma once

#include "hd.hpp"

namespace gpucap::measure::cuda {

// Who holds what in mma.sync, in 32-bit words of the summed dimension (PTX ISA, "Matrix Fragments
// for mma.m16n8k16" and ".m16n8k32"). A slice of 32 bytes of that dimension is 16 numbers of 16
// bits or 32 of 8 bits; counted in words both have the same layout, so one kernel serves all.

struct Place {
  int row, column;
};

/// Accumulator `i` (0 to 3) of a lane: 16 rows, 8 columns.
GPUCAP_HD constexpr Place accumulator_place(int lane, int i) {
  return {lane / 4 + 8 * (i / 2), 2 * (lane % 4) + i % 2};
}

// ldmatrix.x4 reads four matrices of 8 rows of 16 bytes; lane l names row l % 8 of matrix l / 8 and
// receives word l % 4 of row l / 4 of each. These functions say which row of the operand, and which
// of its two 16-byte chunks, a lane names, so that matrix r arrives as register r of the fragment.

/// Left operand, 16 rows x 32 bytes: registers (rows 0-7, 8-15) of chunk 0, then of chunk 1.
/// The same for a right operand of 16 x 16 numbers read transposed: two fragments of 8 columns.
GPUCAP_HD constexpr Place left_source(int lane) {
  return {lane % 16, lane / 16};
}

/// Right operand stored by column, 16 columns x 32 bytes: chunks 0 and 1 of columns 0-7, then of
/// columns 8-15: two fragments.
GPUCAP_HD constexpr Place right_source(int lane) {
  return {lane % 8 + 8 * (lane / 16), lane / 8 % 2};
}

/// Offset of a 16-byte chunk in a shared tile with rows of `Chunks` chunks. The exclusive or
/// spreads the eight rows that one matrix of ldmatrix reads over all 32 banks.
template <int Chunks>
GPUCAP_HD constexpr int chunk_offset(int row, int chunk) {
  static_assert(Chunks == 4 || Chunks == 8 || Chunks == 16);
  const int turn = Chunks == 4 ? row / 2 % 4 : row % 8;
  return (row * Chunks + (chunk ^ turn)) * 16;
}

}  // namespace gpucap::measure::cuda
