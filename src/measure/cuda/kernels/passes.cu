#include <cuda_fp16.h>

#include "kernels.hpp"

namespace gpucap::measure::cuda {

namespace {

constexpr int threads = 256;

/// Eight FP16 numbers, moved as 16 bytes.
struct Eight {
  uint4 words;
  __device__ float operator[](int i) const {
    return __half2float(reinterpret_cast<const __half*>(&words)[i]);
  }
  __device__ void set(int i, float value) {
    reinterpret_cast<__half*>(&words)[i] = __float2half_rn(value);
  }
};

__device__ Eight load(const void* from, std::int64_t number) {
  return {static_cast<const uint4*>(from)[number / 8]};
}
__device__ void store(void* to, std::int64_t number, const Eight& value) {
  static_cast<uint4*>(to)[number / 8] = value.words;
}

/// Sum over the block, known to all of its threads.
__device__ float block_sum(float value) {
  __shared__ float of_warp[threads / 32];
  for (int step = 16; step > 0; step /= 2) value += __shfl_xor_sync(~0U, value, step);
  if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = value;
  __syncthreads();
  float sum = 0;
  for (int warp = 0; warp < threads / 32; ++warp) sum += of_warp[warp];
  return sum;
}

/// One block for each token: sum = x + residual, y = sum / rms(sum) * weights.
__global__ void __launch_bounds__(threads) rms_norm_kernel(PassOperands o) {
  const std::int64_t row = static_cast<std::int64_t>(blockIdx.x) * o.width;
  float squares = 0;
#pragma unroll 1
  for (int at = 8 * static_cast<int>(threadIdx.x); at < o.width; at += 8 * threads) {
    const Eight x = load(o.x, row + at), residual = load(o.other, row + at);
    Eight sum{};
#pragma unroll
    for (int i = 0; i < 8; ++i) {
      sum.set(i, x[i] + residual[i]);
      squares += sum[i] * sum[i];
    }
    store(o.sum, row + at, sum);
  }
  const float scale = rsqrtf(block_sum(squares) / static_cast<float>(o.width) + norm_epsilon);
  // A thread reads what it wrote itself.
#pragma unroll 1
  for (int at = 8 * static_cast<int>(threadIdx.x); at < o.width; at += 8 * threads) {
    const Eight sum = load(o.sum, row + at), weight = load(o.scale, at);
    Eight y{};
#pragma unroll
    for (int i = 0; i < 8; ++i) y.set(i, sum[i] * scale * weight[i]);
    store(o.y, row + at, y);
  }
}

__global__ void __launch_bounds__(threads) rotary_kernel(PassOperands o) {
  const std::int64_t index = static_cast<std::int64_t>(blockIdx.x) * threads + threadIdx.x;
  if (index >= RotaryTile::pairs(o.tokens, o.width)) return;
  const RotaryTile::Spot spot = RotaryTile::spot(index, o.width);
  const std::int64_t angle = RotaryTile::cosine(spot.token, spot.angle);
  const Eight a = load(o.x, spot.first), b = load(o.x, spot.second);
  const Eight cosine = load(o.scale, angle), sine = load(o.scale, angle + RotaryTile::half);
  Eight first{}, second{};
#pragma unroll
  for (int i = 0; i < 8; ++i) {
    first.set(i, a[i] * cosine[i] - b[i] * sine[i]);
    second.set(i, b[i] * cosine[i] + a[i] * sine[i]);
  }
  store(o.y, spot.first, first);
  store(o.y, spot.second, second);
}

__global__ void __launch_bounds__(threads) silu_kernel(PassOperands o) {
  const std::int64_t index = static_cast<std::int64_t>(blockIdx.x) * threads + threadIdx.x;
  if (index >= o.tokens * (o.width / 8)) return;
  const GatedSpot spot = gated_spot(index, o.width);
  const Eight gate = load(o.x, spot.gate), value = load(o.x, spot.value);
  Eight y{};
#pragma unroll
  for (int i = 0; i < 8; ++i) y.set(i, gate[i] / (1 + __expf(-gate[i])) * value[i]);
  store(o.y, 8 * index, y);
}

/// Sums up this card's share of all payloads; leaves it in its own output.
__global__ void __launch_bounds__(threads) sum_share_kernel(Peers peers) {
  const Share share = share_of(peers.rank, peers.ranks, peers.chunks);
  const std::int64_t at =
      share.begin + static_cast<std::int64_t>(blockIdx.x) * threads + threadIdx.x;
  if (at >= share.end) return;
  float sum[8] = {};
  for (int rank = 0; rank < peers.ranks; ++rank) {
    const Eight one = load(peers.input[rank], 8 * at);
#pragma unroll
    for (int i = 0; i < 8; ++i) sum[i] += one[i];
  }
  Eight rounded{};
#pragma unroll
  for (int i = 0; i < 8; ++i) rounded.set(i, sum[i]);
  store(peers.output[peers.rank], 8 * at, rounded);
}

/// Fetches the other cards' shares.
__global__ void __launch_bounds__(threads) gather_shares_kernel(Peers peers) {
  const std::int64_t at = static_cast<std::int64_t>(blockIdx.x) * threads + threadIdx.x;
  if (at >= peers.chunks) return;
  const int owner = owner_of(at, peers.ranks, peers.chunks);
  if (owner == peers.rank) return;
  store(peers.output[peers.rank], 8 * at, load(peers.output[owner], 8 * at));
}

unsigned blocks_for(std::int64_t work) {
  return static_cast<unsigned>(ceil_div<std::int64_t>(work, threads));
}

}  // namespace

cudaError_t rms_norm(const PassOperands& o, cudaStream_t stream) {
  rms_norm_kernel<<<static_cast<unsigned>(o.tokens), threads, 0, stream>>>(o);
  return cudaGetLastError();
}

cudaError_t rotate(const PassOperands& o, cudaStream_t stream) {
  rotary_kernel<<<blocks_for(RotaryTile::pairs(o.tokens, o.width)), threads, 0, stream>>>(o);
  return cudaGetLastError();
}

cudaError_t silu_multiply(const PassOperands& o, cudaStream_t stream) {
  silu_kernel<<<blocks_for(o.tokens * (o.width / 8)), threads, 0, stream>>>(o);
  return cudaGetLastError();
}

cudaError_t sum_share(const Peers& peers, cudaStream_t stream) {
  const Share share = share_of(peers.rank, peers.ranks, peers.chunks);
  if (share.begin == share.end) return cudaSuccess;
  sum_share_kernel<<<blocks_for(share.end - share.begin), threads, 0, stream>>>(peers);
  return cudaGetLastError();
}

cudaError_t gather_shares(const Peers& peers, cudaStream_t stream) {
  gather_shares_kernel<<<blocks_for(peers.chunks), threads, 0, stream>>>(peers);
  return cudaGetLastError();
}

}  // namespace gpucap::measure::cuda
