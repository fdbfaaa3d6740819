#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "gemm_tiles.hpp"
#include "kernels.hpp"
#include "tensor_core.cuh"

namespace gpucap::measure::cuda {

namespace {

__device__ std::uint32_t packed(__half2 pair) {
  return *reinterpret_cast<std::uint32_t*>(&pair);
}
__device__ std::uint32_t packed(__nv_bfloat162 pair) {
  return *reinterpret_cast<std::uint32_t*>(&pair);
}

// Each format: its sums, one product, and a pair of neighbouring results to be stored.

struct Fp16 {
  using Sum = float[4];
  using Pair = std::uint32_t;
  __device__ static void multiply(Sum& c, const std::uint32_t (&a)[4], const std::uint32_t* b) {
    mma_fp16(c, a, b);
  }
  __device__ static Pair pair(const Sum& c, int half) {
    return packed(__floats2half2_rn(c[2 * half], c[2 * half + 1]));
  }
};

struct Fp16Sums {
  using Sum = std::uint32_t[2];
  using Pair = std::uint32_t;
  __device__ static void multiply(Sum& c, const std::uint32_t (&a)[4], const std::uint32_t* b) {
    mma_fp16(c, a, b);
  }
  __device__ static Pair pair(const Sum& c, int half) { return c[half]; }
};

struct Bf16 {
  using Sum = float[4];
  using Pair = std::uint32_t;
  __device__ static void multiply(Sum& c, const std::uint32_t (&a)[4], const std::uint32_t* b) {
    mma_bf16(c, a, b);
  }
  __device__ static Pair pair(const Sum& c, int half) {
    return packed(__floats2bfloat162_rn(c[2 * half], c[2 * half + 1]));
  }
};

struct E4m3 : Bf16 {  // results are BF16
  __device__ static void multiply(Sum& c, const std::uint32_t (&a)[4], const std::uint32_t* b) {
    mma_e4m3(c, a, b);
  }
};

struct Int8 {
  using Sum = int[4];
  using Pair = int2;
  __device__ static void multiply(Sum& c, const std::uint32_t (&a)[4], const std::uint32_t* b) {
    mma_int8(c, a, b);
  }
  __device__ static Pair pair(const Sum& c, int half) {
    return make_int2(c[2 * half], c[2 * half + 1]);
  }
};

/// Brings the rows of one operand from `first` on into a stage, at depth `step`.
template <class Tile, int Rows>
__device__ void copy_tile(unsigned char* stage, const void* operand, int first, int rows,
                          std::int64_t pitch, int step) {
#pragma unroll copies_at_once
  for (int i = 0; i < Tile::copies(Rows); ++i) {
    const Place place = Tile::copied(static_cast<int>(threadIdx.x), i);
    const int row = first + place.row;
    const std::int64_t byte = static_cast<std::int64_t>(step) * Tile::depth + place.column * 16;
    const bool valid = inside(row, rows, byte, pitch);
    const auto* source =
        static_cast<const unsigned char*>(operand) + (valid ? row * pitch + byte : 0);
    copy_chunk(stage + chunk_offset<Tile::chunks>(place.row, place.column), source, valid);
  }
}

template <class Tile>
__device__ void copy_stage(unsigned char* stage, const GemmOperands& g, Place tile, int step) {
  copy_tile<Tile, Tile::rows>(stage, g.a, tile.row * Tile::rows, g.m, g.ab_pitch, step);
  copy_tile<Tile, Tile::columns>(stage + Tile::a_bytes, g.b, tile.column * Tile::columns, g.n,
                                 g.ab_pitch, step);
}

template <class Format, class Tile>
using Sums = typename Format::Sum[Tile::row_fragments][Tile::column_fragments];

/// Adds the products of one stage to a warp's sums.
template <class Format, class Tile>
__device__ void multiply_stage(Sums<Format, Tile>& sums, const unsigned char* stage, Place warp,
                               int lane) {
#pragma unroll
  for (int slice = 0; slice < Tile::slices; ++slice) {
    std::uint32_t b[Tile::column_fragments / 2][4];
#pragma unroll
    for (int j = 0; j < Tile::column_fragments / 2; ++j) {
      load_matrices(b[j], stage + Tile::b_source(warp.column + 16 * j, slice, lane));
    }
#pragma unroll
    for (int i = 0; i < Tile::row_fragments; ++i) {
      std::uint32_t a[4];
      load_matrices(a, stage + Tile::a_source(warp.row + 16 * i, slice, lane));
#pragma unroll
      for (int j = 0; j < Tile::column_fragments; ++j) {
        Format::multiply(sums[i][j], a, b[j / 2] + 2 * (j % 2));
      }
    }
  }
}

template <class Format, class Tile>
__device__ void store(const Sums<Format, Tile>& sums, const GemmOperands& g, int row, int column,
                      int lane) {
  using Pair = typename Format::Pair;
#pragma unroll
  for (int i = 0; i < Tile::row_fragments; ++i) {
#pragma unroll
    for (int j = 0; j < Tile::column_fragments; ++j) {
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        const Place place = accumulator_place(lane, 2 * half);
        const int r = row + 16 * i + place.row, c = column + 8 * j + place.column;
        if (r >= g.m || c >= g.d_columns) continue;
        static_cast<Pair*>(g.d)[(r * g.d_columns + c) / 2] = Format::pair(sums[i][j], half);
      }
    }
  }
}

template <class Format, class Tile>
__global__ void __launch_bounds__(Tile::threads) gemm_kernel(GemmOperands g) {
  __shared__ __align__(128) unsigned char shared[Tile::stages * Tile::stage_bytes];
  const Place tile = tile_of_block(blockIdx.x, Tile::down(g.m), Tile::across(g.d_columns));
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const Place warp = Tile::warp_place(static_cast<int>(threadIdx.x) / 32);
  const int steps = Tile::steps(g.ab_pitch);
  Sums<Format, Tile> sums = {};
  for (int step = 0; step < Tile::stages - 1; ++step) {
    if (step < steps) copy_stage<Tile>(shared + step * Tile::stage_bytes, g, tile, step);
    end_copies();
  }
  for (int step = 0; step < steps; ++step) {
    await_copies<Tile::stages - 2>();
    __syncthreads();  // the stage of this step is complete, that of the last one is read
    const int next = step + Tile::stages - 1;
    if (next < steps) {
      copy_stage<Tile>(shared + next % Tile::stages * Tile::stage_bytes, g, tile, next);
    }
    end_copies();
    multiply_stage<Format, Tile>(sums, shared + step % Tile::stages * Tile::stage_bytes, warp,
                                 lane);
  }
  store<Format, Tile>(sums, g, tile.row * Tile::rows + warp.row,
                      tile.column * Tile::columns + warp.column, lane);
}

template <class Format, class Tile>
void start(const GemmOperands& g, cudaStream_t stream) {
  const std::int64_t blocks =
      static_cast<std::int64_t>(Tile::down(g.m)) * Tile::across(g.d_columns);
  gemm_kernel<Format, Tile><<<static_cast<unsigned>(blocks), Tile::threads, 0, stream>>>(g);
}

template <class Format>
cudaError_t start(const GemmOperands& g, int processors, cudaStream_t stream) {
  if (wants_large_tile(g.m, g.d_columns, processors)) {
    start<Format, LargeTile>(g, stream);
  } else {
    start<Format, SmallTile>(g, stream);
  }
  return cudaGetLastError();
}

}  // namespace

cudaError_t multiply(GemmFormat format, const GemmOperands& g, int processors,
                     cudaStream_t stream) {
  switch (format) {
    case GemmFormat::fp16:
      return start<Fp16>(g, processors, stream);
    case GemmFormat::fp16_sums:
      return start<Fp16Sums>(g, processors, stream);
    case GemmFormat::bf16:
      return start<Bf16>(g, processors, stream);
    case GemmFormat::int8:
      return start<Int8>(g, processors, stream);
    case GemmFormat::e4m3:
      return start<E4m3>(g, processors, stream);
  }
  return cudaErrorInvalidValue;
}

bool built_with_e4m3() {
  return GPUCAP_HAS_E4M3 != 0;
}

}  // namespace gpucap::measure::cuda
