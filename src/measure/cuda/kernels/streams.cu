#include "kernels.hpp"

namespace gpucap::measure::cuda {

namespace {

constexpr int threads = StreamTile::threads;

__global__ void __launch_bounds__(threads)
    copy_kernel(const uint4* from, uint4* to, std::int64_t chunks) {
  uint4 value[StreamTile::each];
#pragma unroll
  for (int i = 0; i < StreamTile::each; ++i) {
    const std::int64_t at = StreamTile::chunk(blockIdx.x, static_cast<int>(threadIdx.x), i);
    if (at < chunks) value[i] = from[at];
  }
#pragma unroll
  for (int i = 0; i < StreamTile::each; ++i) {
    const std::int64_t at = StreamTile::chunk(blockIdx.x, static_cast<int>(threadIdx.x), i);
    if (at < chunks) to[at] = value[i];
  }
}

__device__ float4 sum(float4 b, float s, float4 c) {
  return make_float4(b.x + s * c.x, b.y + s * c.y, b.z + s * c.z, b.w + s * c.w);
}

__global__ void __launch_bounds__(threads)
    triad_kernel(const float4* b, const float4* c, float4* a, float s, std::int64_t chunks) {
  float4 left[StreamTile::each], right[StreamTile::each];
#pragma unroll
  for (int i = 0; i < StreamTile::each; ++i) {
    const std::int64_t at = StreamTile::chunk(blockIdx.x, static_cast<int>(threadIdx.x), i);
    if (at < chunks) {
      left[i] = b[at];
      right[i] = c[at];
    }
  }
#pragma unroll
  for (int i = 0; i < StreamTile::each; ++i) {
    const std::int64_t at = StreamTile::chunk(blockIdx.x, static_cast<int>(threadIdx.x), i);
    if (at < chunks) a[at] = sum(left[i], s, right[i]);
  }
}

template <class Element>
__global__ void fill_kernel(Element* to, Number number, Matrix matrix, std::uint64_t seed) {
  const std::int64_t at = static_cast<std::int64_t>(blockIdx.x) * threads + threadIdx.x;
  if (at >= matrix.rows * matrix.pitch) return;
  const int integer = drawn_at(matrix, seed, at, format_of(number).drawn_bits);
  to[at] = static_cast<Element>(encoded(number, integer));
}

template <class Element>
void start_fill(Number number, void* to, const Matrix& matrix, std::uint64_t seed,
                cudaStream_t stream) {
  const auto blocks =
      static_cast<unsigned>(ceil_div<std::int64_t>(matrix.rows * matrix.pitch, threads));
  fill_kernel<<<blocks, threads, 0, stream>>>(static_cast<Element*>(to), number, matrix, seed);
}

__global__ void empty_kernel() {}

}  // namespace

cudaError_t fill(Number number, void* to, const Matrix& matrix, std::uint64_t seed,
                 cudaStream_t stream) {
  switch (format_of(number).bytes) {
    case 1:
      start_fill<std::uint8_t>(number, to, matrix, seed, stream);
      break;
    case 2:
      start_fill<std::uint16_t>(number, to, matrix, seed, stream);
      break;
    default:
      start_fill<std::uint32_t>(number, to, matrix, seed, stream);
  }
  return cudaGetLastError();
}

cudaError_t copy(const void* from, void* to, std::int64_t chunks, cudaStream_t stream) {
  copy_kernel<<<static_cast<unsigned>(StreamTile::blocks(chunks)), threads, 0, stream>>>(
      static_cast<const uint4*>(from), static_cast<uint4*>(to), chunks);
  return cudaGetLastError();
}

cudaError_t triad(const void* b, const void* c, void* a, float s, std::int64_t chunks,
                  cudaStream_t stream) {
  triad_kernel<<<static_cast<unsigned>(StreamTile::blocks(chunks)), threads, 0, stream>>>(
      static_cast<const float4*>(b), static_cast<const float4*>(c), static_cast<float4*>(a), s,
      chunks);
  return cudaGetLastError();
}

cudaError_t launch_empty(cudaStream_t stream) {
  empty_kernel<<<1, 32, 0, stream>>>();
  return cudaGetLastError();
}

cudaError_t find_kernels() {
  cudaFuncAttributes attributes{};
  return cudaFuncGetAttributes(&attributes, empty_kernel);
}

}  // namespace gpucap::measure::cuda
