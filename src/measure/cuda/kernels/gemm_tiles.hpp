#pragma once

#include <cstdint>

#include "fragments.hpp"

namespace gpucap::measure::cuda {

/// D[m][n] = A[m][k] B[n][k]^T, all by rows; pitches in bytes, multiples of 16, and zeros up to
/// them. B by rows of k is how the weights of a linear layer lie.
struct GemmOperands {
  const void *a, *b;
  void* d;
  int m, n;
  std::int64_t ab_pitch;   ///< of A and B
  std::int64_t d_columns;  ///< pitch of D in numbers; columns from n on are written, as zeros
};

/// How a block of threads cuts its part of D. Depth is counted in bytes, 64 per step.
template <int Rows, int Columns, int WarpRows, int WarpColumns, int Stages>
struct GemmTile {
  static constexpr int rows = Rows, columns = Columns, stages = Stages;
  static constexpr int warp_rows = WarpRows, warp_columns = WarpColumns;
  static constexpr int depth = 64, chunks = depth / 16, slices = depth / 32;
  static constexpr int warps_across = Columns / WarpColumns;
  static constexpr int warps = Rows / WarpRows * warps_across, threads = 32 * warps;
  static constexpr int a_bytes = Rows * depth, b_bytes = Columns * depth;
  static constexpr int stage_bytes = a_bytes + b_bytes;
  static constexpr int row_fragments = WarpRows / 16, column_fragments = WarpColumns / 8;
  static_assert(Stages * stage_bytes <= 48 * 1024, "static shared memory");
  static_assert(Rows * chunks % threads == 0 && Columns * chunks % threads == 0);
  static_assert(WarpRows % 16 == 0 && WarpColumns % 16 == 0);

  /// Chunk `i` that a thread brings in, of a tile with `tile_rows` rows.
  GPUCAP_HD static constexpr Place copied(int thread, int i) {
    const int index = thread + i * threads;
    return {index / chunks, index % chunks};
  }
  GPUCAP_HD static constexpr int copies(int tile_rows) { return tile_rows * chunks / threads; }
  /// First row and column of a warp in the tile.
  GPUCAP_HD static constexpr Place warp_place(int warp) {
    return {warp / warps_across * WarpRows, warp % warps_across * WarpColumns};
  }
  /// Byte of shared memory, within a stage, that a lane names to ldmatrix: rows of A from `row`.
  GPUCAP_HD static constexpr int a_source(int row, int slice, int lane) {
    const Place place = left_source(lane);
    return chunk_offset<chunks>(row + place.row, 2 * slice + place.column);
  }
  /// The same for 16 columns of B from `column`.
  GPUCAP_HD static constexpr int b_source(int column, int slice, int lane) {
    const Place place = right_source(lane);
    return a_bytes + chunk_offset<chunks>(column + place.row, 2 * slice + place.column);
  }
  GPUCAP_HD static constexpr int steps(std::int64_t ab_pitch) {
    return static_cast<int>(ceil_div<std::int64_t>(ab_pitch, depth));
  }
  GPUCAP_HD static constexpr int down(int m) { return ceil_div(m, Rows); }
  GPUCAP_HD static constexpr int across(std::int64_t d_columns) {
    return static_cast<int>(ceil_div<std::int64_t>(d_columns, Columns));
  }
};

/// For large results, and for those that would leave most processors without a tile.
using LargeTile = GemmTile<128, 128, 64, 32, 3>;
using SmallTile = GemmTile<64, 64, 32, 32, 4>;

/// Whether the large tiles are enough for two waves over the processors.
constexpr bool wants_large_tile(int m, std::int64_t d_columns, int processors) {
  return static_cast<std::int64_t>(LargeTile::down(m)) * LargeTile::across(d_columns) >=
         2 * static_cast<std::int64_t>(processors);
}

/// Tile that block `block` works on: down groups of eight tile rows, so that blocks that run at the
/// same time share operands in the L2.
GPUCAP_HD constexpr Place tile_of_block(std::int64_t block, int down, int across) {
  constexpr int group = 8;
  const std::int64_t per_group = static_cast<std::int64_t>(group) * across;
  const int first = static_cast<int>(block / per_group) * group;
  const int height = down - first < group ? down - first : group;
  const int within = static_cast<int>(block % per_group);
  return {first + within % height, within / height};
}

/// Whether a chunk of an operand lies inside it; where not, zeros stand in the tile.
GPUCAP_HD constexpr bool inside(int row, int rows, std::int64_t byte, std::int64_t pitch) {
  return row < rows && byte < pitch;
}

}  // namespace gpucap::measure::cuda
