#pragma once

#include <cuda_runtime_api.h>

#include "attention_tiles.hpp"
#include "gemm_tiles.hpp"
#include "numbers.hpp"
#include "streaming.hpp"

namespace gpucap::measure::cuda {

// Each starts a kernel on the stream and returns what the launch says.

/// Fills a matrix with the numbers of `seed`, zeros between columns and pitch.
cudaError_t fill(Number number, void* to, const Matrix& matrix, std::uint64_t seed,
                 cudaStream_t stream);

cudaError_t copy(const void* from, void* to, std::int64_t chunks, cudaStream_t stream);
/// a = b + s c over FP32 numbers.
cudaError_t triad(const void* b, const void* c, void* a, float s, std::int64_t chunks,
                  cudaStream_t stream);

enum class GemmFormat { fp16, fp16_sums, bf16, int8, e4m3 };
/// D = A B^T on tensor cores. BF16 needs sm_80, E4M3 sm_89 and built_with_e4m3().
cudaError_t multiply(GemmFormat format, const GemmOperands& g, int processors, cudaStream_t stream);
bool built_with_e4m3();

/// Causal attention, head_dim 64 or 128; `scale` multiplies q k and includes log2(e).
cudaError_t attend(const PrefillOperands& o, float scale, cudaStream_t stream);
/// The same for one new token each, over a paged cache; two kernels.
cudaError_t attend(const DecodeOperands& o, float scale, cudaStream_t stream);

constexpr float norm_epsilon = 1e-5F;
/// Width a multiple of 8, of 128 for rotate.
cudaError_t rms_norm(const PassOperands& o, cudaStream_t stream);
cudaError_t rotate(const PassOperands& o, cudaStream_t stream);
cudaError_t silu_multiply(const PassOperands& o, cudaStream_t stream);

/// The two halves of an all-reduce; all cards must have ended the first before any begins the
/// second.
cudaError_t sum_share(const Peers& peers, cudaStream_t stream);
cudaError_t gather_shares(const Peers& peers, cudaStream_t stream);

cudaError_t launch_empty(cudaStream_t stream);
/// Whether this build has kernels for the current device.
cudaError_t find_kernels();

}  // namespace gpucap::measure::cuda
