#pragma once

#include <cstdint>
#include <vector>

namespace gpucap::measure::cpu {

// The kernels of a decoder layer on a processor, in FP32 by Eigen, spread over `threads` threads.
// Vectors stand one after the other: row t of [tokens, width] begins at t * width.

/// out[m, n] = in[m, k] x weights[n, k] transposed. `in` and `out` hold whole groups of rows, see
/// padded_rows: fewer than four take the library another way, which other sizes say nothing of.
void product(const float* in, const float* weights, float* out, std::int64_t m, std::int64_t n,
             std::int64_t k, int threads);
/// Rows that `product` works on for m rows.
constexpr std::int64_t padded_rows(std::int64_t m) {
  return (m + 3) / 4 * 4;
}

struct Heads {
  std::int64_t heads = 0, kv_heads = 0, dim = 0;
};

/// Causal attention of one prompt: queries [tokens, heads * dim], keys and values
/// [tokens, kv_heads * dim], out as queries.
void prefill_attention(const Heads& heads, const float* queries, const float* keys,
                       const float* values, float* out, std::int64_t tokens, int threads);

/// Tokens of a page of the KV cache.
inline constexpr std::int64_t page_tokens = 16;

/// Keys and values of one layer in pages [page, kv_head, page_tokens, dim]; the pages of a sequence
/// are named by its row of the table.
struct PagedCache {
  std::vector<float> keys, values;
  std::vector<std::int64_t> table;  ///< [sequences, pages_per_sequence]
  std::int64_t pages_per_sequence = 0;
};

/// Pages for `sequences` of up to `tokens`, dealt out in an order that is not that of memory.
PagedCache make_cache(const Heads& heads, std::int64_t sequences, std::int64_t tokens);
/// Writes one token's keys and values [kv_heads * dim] at a position of a sequence.
void write_token(const Heads& heads, PagedCache& cache, std::int64_t sequence,
                 std::int64_t position, const float* keys, const float* values);

/// One new token of each sequence against its `context` cached ones: queries and out
/// [sequences, heads * dim].
void decode_attention(const Heads& heads, const float* queries, const PagedCache& cache,
                      std::int64_t sequences, std::int64_t context, float* out, int threads);

/// residual += in; out = residual / rms(residual) x gain; all [tokens, width], gain [width].
void rms_norm(const float* in, float* residual, const float* gain, float* out, std::int64_t tokens,
              std::int64_t width, int threads);
/// Turns each pair (i, i + dim / 2) of each of `heads` vectors by position x angle of i.
void rotate(float* vectors, const std::int64_t* positions, std::int64_t tokens, std::int64_t heads,
            std::int64_t dim, std::int64_t stride, int threads);
/// out[tokens, width] = silu(first half) x second half of in[tokens, 2 width].
void silu_multiply(const float* in, float* out, std::int64_t tokens, std::int64_t width,
                   int threads);

void copy(const float* in, float* out, std::int64_t count, int threads);
/// out = in + scale x third.
void triad(const float* in, const float* third, float* out, std::int64_t count, int threads);
/// Starts and ends a team of threads that has nothing to do.
void nothing(int threads);

}  // namespace gpucap::measure::cpu
