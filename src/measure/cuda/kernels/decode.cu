#include "attention_rows.cuh"
#include "kernels.hpp"

namespace gpucap::measure::cuda {

namespace {

/// What one warp works on.
struct Part {
  int batch, kv_head, first_row, split;
};

/// Query head of row `row` of the part's tile, or `heads` for a row without one.
__device__ int head_of(const Part& part, const DecodeOperands& o, int row) {
  const int group = o.heads / o.kv_heads, within = part.first_row + row;
  return within < group ? part.kv_head * group + within : o.heads;
}

template <int D>
__device__ void load_queries(AttentionRows<D>& rows, const DecodeOperands& o, const Part& part,
                             int lane) {
  const auto* words = static_cast<const std::uint32_t*>(o.q);
#pragma unroll
  for (int r = 0; r < 4; ++r) {
    const Place place = left_word(lane, r);
    const int head = head_of(part, o, place.row);
    const std::int64_t row = head_row(part.batch, 0, head, 1, o.heads);
#pragma unroll
    for (int slice = 0; slice < HeadTile<D>::slices; ++slice) {
      rows.q[slice][r] = head < o.heads ? words[row * (D / 2) + 8 * slice + place.column] : 0;
    }
  }
}

/// Brings one block of the cache to the warp's shared memory: keys, then values. All 16 tokens of a
/// block are there to be read, also behind the last one of the sequence.
template <int D>
__device__ void copy_block(unsigned char* shared, const DecodeOperands& o, const Part& part,
                           int index, int lane) {
  using Tile = HeadTile<D>;
  constexpr int tokens = PagedCache::block_tokens;
  const int block = o.table[part.batch * PagedCache::blocks(o.kv_length) + index];
#pragma unroll
  for (int i = 0; i < tokens * Tile::chunks / 32; ++i) {
    const Place place = Tile::copied(lane + 32 * i);
    const std::int64_t byte =
        PagedCache::row(block, place.row, part.kv_head, o.kv_heads) * Tile::row_bytes +
        place.column * 16;
    unsigned char* to = shared + chunk_offset<Tile::chunks>(place.row, place.column);
    copy_chunk(to, static_cast<const unsigned char*>(o.k) + byte, true);
    copy_chunk(to + tokens * Tile::row_bytes, static_cast<const unsigned char*>(o.v) + byte, true);
  }
}

template <int D>
__device__ void store_part(const AttentionRows<D>& rows, const DecodeOperands& o, const Part& part,
                           float scale, int lane) {
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    const Place place = accumulator_place(lane, 2 * half);
    const int head = head_of(part, o, place.row);
    if (head == o.heads) continue;
    const std::int64_t row = partial_row(part.batch, head, part.split, o.heads, o.splits);
    const float share = 1 / rows.total[half];
#pragma unroll
    for (int n = 0; n < D / 8; ++n) {
      auto* to = reinterpret_cast<float2*>(o.partial + row * D + 8 * n + place.column);
      *to = make_float2(rows.out[n][2 * half] * share, rows.out[n][2 * half + 1] * share);
    }
    if (place.column == 0) o.weight[row] = rows.highest[half] * scale + log2f(rows.total[half]);
  }
}

template <int D>
__global__ void __launch_bounds__(DecodeTile::threads)
    decode_kernel(DecodeOperands o, float scale) {
  constexpr int tokens = PagedCache::block_tokens, value_offset = tokens * 2 * D;
  constexpr int stage_bytes = 2 * value_offset, warp_bytes = DecodeTile::stages * stage_bytes;
  __shared__ __align__(128) unsigned char shared[DecodeTile::warps * warp_bytes];
  const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
  const int row_tiles = DecodeTile::row_tiles(o.heads, o.kv_heads);
  const Part part = {static_cast<int>(blockIdx.z), static_cast<int>(blockIdx.y) / row_tiles,
                     static_cast<int>(blockIdx.y) % row_tiles * DecodeTile::rows,
                     static_cast<int>(blockIdx.x) * DecodeTile::warps + warp};
  if (part.split >= o.splits) return;
  const Range blocks = DecodeTile::blocks_of(part.split, PagedCache::blocks(o.kv_length), o.splits);
  unsigned char* tile = shared + warp * warp_bytes;
  AttentionRows<D> rows;
  rows.clear();
  load_queries<D>(rows, o, part, lane);
  copy_block<D>(tile, o, part, blocks.begin, lane);
  end_copies();
  const int last[2] = {o.kv_length - 1, o.kv_length - 1};
  for (int block = blocks.begin; block < blocks.end; ++block) {
    const unsigned char* stage = tile + (block - blocks.begin) % 2 * stage_bytes;
    if (block + 1 < blocks.end) {
      copy_block<D>(tile + (block + 1 - blocks.begin) % 2 * stage_bytes, o, part, block + 1, lane);
    }
    end_copies();
    await_copies<1>();
    __syncwarp();  // this block is here
    float s[tokens / 8][4];
    rows.template score<tokens>(s, stage, lane);
    rows.template hide<tokens>(s, block * tokens, last, lane);
    rows.template weigh<tokens>(s, scale);
    rows.template add<tokens>(s, stage + value_offset, lane);
    __syncwarp();  // it is read
  }
  rows.finish();
  store_part<D>(rows, o, part, scale, lane);
}

/// One block for each query head of each sequence, one thread for each number.
__global__ void __launch_bounds__(128) merge_kernel(DecodeOperands o) {
  const std::int64_t head = blockIdx.x;
  const float* weight = o.weight + head * o.splits;
  const float* partial = o.partial + head * o.splits * o.head_dim + threadIdx.x;
  float highest = minus_infinity;
  for (int split = 0; split < o.splits; ++split) highest = fmaxf(highest, weight[split]);
  float sum = 0, total = 0;
  for (int split = 0; split < o.splits; ++split) {
    const float share = power_of_two(weight[split] - highest);
    sum += share * partial[static_cast<std::int64_t>(split) * o.head_dim];
    total += share;
  }
  static_cast<__half*>(o.out)[head * o.head_dim + threadIdx.x] = __float2half_rn(sum / total);
}

template <int D>
void start(const DecodeOperands& o, float scale, cudaStream_t stream) {
  const dim3 grid(static_cast<unsigned>(ceil_div(o.splits, DecodeTile::warps)),
                  static_cast<unsigned>(o.kv_heads * DecodeTile::row_tiles(o.heads, o.kv_heads)),
                  static_cast<unsigned>(o.batch));
  decode_kernel<D><<<grid, DecodeTile::threads, 0, stream>>>(o, scale);
}

}  // namespace

cudaError_t attend(const DecodeOperands& o, float scale, cudaStream_t stream) {
  if (o.head_dim == 64) {
    start<64>(o, scale, stream);
  } else {
    start<128>(o, scale, stream);
  }
  merge_kernel<<<static_cast<unsigned>(o.batch) * static_cast<unsigned>(o.heads),
                 static_cast<unsigned>(o.head_dim), 0, stream>>>(o);
  return cudaGetLastError();
}

}  // namespace gpucap::measure::cuda
