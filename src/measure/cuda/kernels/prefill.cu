#include "attention_rows.cuh"
#include "kernels.hpp"

namespace gpucap::measure::cuda {

namespace {

/// Turing's fragments of a whole tile of keys do not fit beside 128 numbers of output.
template <int D>
constexpr int tile_keys = GPUCAP_ARCH < 800 && D == 128 ? 32 : 64;

template <int D>
__device__ void load_queries(AttentionRows<D>& rows, const PrefillOperands& o, int first,
                             int lane) {
  const auto* words = static_cast<const std::uint32_t*>(o.q);
#pragma unroll
  for (int r = 0; r < 4; ++r) {
    const Place place = left_word(lane, r);
    const int query = first + place.row;
    const std::int64_t row =
        head_row(blockIdx.z, query, static_cast<int>(blockIdx.y), o.q_length, o.heads);
#pragma unroll
    for (int slice = 0; slice < HeadTile<D>::slices; ++slice) {
      rows.q[slice][r] = query < o.q_length ? words[row * (D / 2) + 8 * slice + place.column] : 0;
    }
  }
}

/// Brings a tile of keys or values to shared memory; zeros behind the last token.
template <int D>
__device__ void copy_tile(unsigned char* shared, const void* operand, const PrefillOperands& o,
                          int first, int kv_head) {
  using Tile = HeadTile<D>;
#pragma unroll copies_at_once
  for (int i = 0; i < tile_keys<D> * Tile::chunks / PrefillTile::threads; ++i) {
    const Place place = Tile::copied(static_cast<int>(threadIdx.x) + i * PrefillTile::threads);
    const int key = first + place.row;
    const bool valid = key < o.kv_length;
    const std::int64_t row =
        valid ? head_row(blockIdx.z, key, kv_head, o.kv_length, o.kv_heads) : 0;
    copy_chunk(
        shared + chunk_offset<Tile::chunks>(place.row, place.column),
        static_cast<const unsigned char*>(operand) + row * Tile::row_bytes + place.column * 16,
        valid);
  }
}

template <int D>
__device__ void store_rows(const AttentionRows<D>& rows, const PrefillOperands& o, int first,
                           int lane) {
  auto* words = static_cast<std::uint32_t*>(o.out);
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    const int query = first + accumulator_place(lane, 2 * half).row;
    if (query >= o.q_length) continue;
    const std::int64_t row =
        head_row(blockIdx.z, query, static_cast<int>(blockIdx.y), o.q_length, o.heads);
    const float share = 1 / rows.total[half];
#pragma unroll
    for (int n = 0; n < D / 8; ++n) {
      const int column = 8 * n + accumulator_place(lane, 2 * half).column;
      words[(row * D + column) / 2] =
          packed_half(rows.out[n][2 * half] * share, rows.out[n][2 * half + 1] * share);
    }
  }
}

template <int D>
__global__ void __launch_bounds__(PrefillTile::threads)
    prefill_kernel(PrefillOperands o, float scale) {
  constexpr int keys = tile_keys<D>;
  __shared__ __align__(128) unsigned char k_tile[keys * 2 * D];
  __shared__ __align__(128) unsigned char v_tile[keys * 2 * D];
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const int first = PrefillTile::first_query(static_cast<int>(blockIdx.x), o.q_length);
  const int first_of_warp = first + static_cast<int>(threadIdx.x) / 32 * 16;
  const int kv_head = static_cast<int>(blockIdx.y) / (o.heads / o.kv_heads);
  const int last[2] = {
      PrefillTile::last_key(first_of_warp + lane / 4, o.q_length, o.kv_length),
      PrefillTile::last_key(first_of_warp + lane / 4 + 8, o.q_length, o.kv_length)};
  AttentionRows<D> rows;
  rows.clear();
  load_queries<D>(rows, o, first_of_warp, lane);
  const int tiles = PrefillTile::key_tiles(first, keys, o.q_length, o.kv_length);
  copy_tile<D>(k_tile, o.k, o, 0, kv_head);
  end_copies();
  for (int tile = 0; tile < tiles; ++tile) {
    copy_tile<D>(v_tile, o.v, o, tile * keys, kv_head);
    end_copies();
    await_copies<1>();
    __syncthreads();  // keys are here
    float s[keys / 8][4];
    rows.template score<keys>(s, k_tile, lane);
    __syncthreads();  // keys are read
    if (tile + 1 < tiles) copy_tile<D>(k_tile, o.k, o, (tile + 1) * keys, kv_head);
    end_copies();
    if (!PrefillTile::all_visible(first, tile, keys, o.q_length, o.kv_length)) {
      rows.template hide<keys>(s, tile * keys, last, lane);
    }
    rows.template weigh<keys>(s, scale);
    await_copies<1>();
    __syncthreads();  // values are here
    rows.template add<keys>(s, v_tile, lane);
    __syncthreads();  // values are read
  }
  rows.finish();
  store_rows<D>(rows, o, first_of_warp, lane);
}

template <int D>
void start(const PrefillOperands& o, float scale, cudaStream_t stream) {
  const dim3 grid(static_cast<unsigned>(ceil_div(o.q_length, PrefillTile::queries)),
                  static_cast<unsigned>(o.heads), static_cast<unsigned>(o.batch));
  prefill_kernel<D><<<grid, PrefillTile::threads, 0, stream>>>(o, scale);
}

}  // namespace

cudaError_t attend(const PrefillOperands& o, float scale, cudaStream_t stream) {
  if (o.head_dim == 64) {
    start<64>(o, scale, stream);
  } else {
    start<128>(o, scale, stream);
  }
  return cudaGetLastError();
}

}  // namespace gpucap::measure::cuda
