#pragma once

#include <cuda_fp16.h>

#include "attention_tiles.hpp"
#include "tensor_core.cuh"

namespace gpucap::measure::cuda {

constexpr float minus_infinity = -__builtin_huge_valf();

__device__ inline std::uint32_t packed_half(float low, float high) {
  __half2 pair = __floats2half2_rn(low, high);
  return *reinterpret_cast<std::uint32_t*>(&pair);
}

/// Attention of 16 query rows by one warp over as many tiles of keys as are shown to it: softmax as
/// it goes, in powers of two. A lane holds parts of rows lane / 4 and lane / 4 + 8.
template <int D>
struct AttentionRows {
  using Tile = HeadTile<D>;
  std::uint32_t q[Tile::slices][4];
  float out[D / 8][4];
  float highest[2], total[2];

  __device__ void clear() {
#pragma unroll
    for (int n = 0; n < D / 8; ++n) {
#pragma unroll
      for (int i = 0; i < 4; ++i) out[n][i] = 0;
    }
    highest[0] = highest[1] = minus_infinity;
    total[0] = total[1] = 0;
  }

  /// Scores of `Keys` keys of a tile in shared memory.
  template <int Keys>
  __device__ void score(float (&s)[Keys / 8][4], const unsigned char* keys, int lane) const {
#pragma unroll
    for (int n = 0; n < Keys / 8; ++n) {
#pragma unroll
      for (int i = 0; i < 4; ++i) s[n][i] = 0;
    }
#pragma unroll
    for (int slice = 0; slice < Tile::slices; ++slice) {
#pragma unroll
      for (int j = 0; j < Keys / 16; ++j) {
        std::uint32_t b[4];
        load_matrices(b, keys + Tile::key_source(16 * j, slice, lane));
        mma_fp16(s[2 * j], q[slice], b);
        mma_fp16(s[2 * j + 1], q[slice], b + 2);
      }
    }
  }

  /// Hides keys behind the last one of each of the lane's two rows; `first` is the tile's first
  /// key.
  template <int Keys>
  __device__ static void hide(float (&s)[Keys / 8][4], int first, const int (&last)[2], int lane) {
#pragma unroll
    for (int n = 0; n < Keys / 8; ++n) {
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        const int key = first + 8 * n + accumulator_place(lane, i).column;
        if (key > last[i / 2]) s[n][i] = minus_infinity;
      }
    }
  }

  /// Scores become weights relative to the highest score so far; `scale` includes log2(e). Some key
  /// of each row must have been visible by now.
  template <int Keys>
  __device__ void weigh(float (&s)[Keys / 8][4], float scale) {
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      float top = highest[half];
#pragma unroll
      for (int n = 0; n < Keys / 8; ++n) {
        top = fmaxf(top, fmaxf(s[n][2 * half], s[n][2 * half + 1]));
      }
      top = fmaxf(top, __shfl_xor_sync(~0U, top, 1));
      top = fmaxf(top, __shfl_xor_sync(~0U, top, 2));
      const float kept = power_of_two((highest[half] - top) * scale);
      highest[half] = top;
      float sum = 0;
#pragma unroll
      for (int n = 0; n < Keys / 8; ++n) {
#pragma unroll
        for (int i = 2 * half; i < 2 * half + 2; ++i) {
          s[n][i] = power_of_two((s[n][i] - top) * scale);
          sum += s[n][i];
        }
      }
      total[half] = total[half] * kept + sum;
#pragma unroll
      for (int n = 0; n < D / 8; ++n) {
        out[n][2 * half] *= kept;
        out[n][2 * half + 1] *= kept;
      }
    }
  }

  /// Adds weights x values. The sums of a product are laid out as the left operand of the next.
  template <int Keys>
  __device__ void add(const float (&s)[Keys / 8][4], const unsigned char* values, int lane) {
#pragma unroll
    for (int j = 0; j < Keys / 16; ++j) {
      const float(&low)[4] = s[2 * j];
      const float(&high)[4] = s[2 * j + 1];
      const std::uint32_t a[4] = {packed_half(low[0], low[1]), packed_half(low[2], low[3]),
                                  packed_half(high[0], high[1]), packed_half(high[2], high[3])};
#pragma unroll
      for (int slice = 0; slice < Tile::slices; ++slice) {
        std::uint32_t b[4];
        load_matrices_transposed(b, values + Tile::value_source(16 * j, slice, lane));
        mma_fp16(out[2 * slice], a, b);
        mma_fp16(out[2 * slice + 1], a, b + 2);
      }
    }
  }

  /// Brings each row's total together from the four lanes that hold its parts.
  __device__ void finish() {
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      total[half] += __shfl_xor_sync(~0U, total[half], 1);
      total[half] += __shfl_xor_sync(~0U, total[half], 2);
    }
  }
};

}  // namespace gpucap::measure::cuda
