#include "attention.hpp"

#include <algorithm>

#include "kernel_parts.hpp"

namespace gpucap::perf {
namespace {

/// Two parts of a kernel that overlap but for a share of the shorter.
Seconds overlapped(Seconds a, Seconds b, double exposed) {
  return std::max(a, b) + std::min(a, b) * exposed;
}

Flops attention_flops(const AttentionShape& shape, double pairs) {
  const auto per_pair = static_cast<double>(2 * shape.heads * (shape.qk_dim + shape.v_dim));
  return per_pair * pairs * unit::flop;
}

Bytes kv_bytes(const AttentionShape& shape, double tokens) {
  return shape.kv_bytes_per_token * tokens * unit::byte;
}

/// Queries read and outputs written, in 16 bits whatever the cache holds.
Bytes query_and_output_bytes(const AttentionShape& shape, double queries) {
  constexpr double activation_bytes = 2;
  const auto per_query = static_cast<double>(shape.heads * (shape.qk_dim + shape.v_dim));
  return activation_bytes * per_query * queries * unit::byte;
}

double pairs_of(const Chunk& chunk, bool causal) {
  return causal ? causal_pairs(chunk) : static_cast<double>(chunk.q * chunk.kv);
}

struct ChunkSums {
  double pairs = 0, kv = 0, q = 0;
  std::int64_t max_kv = 0;

  void add(const Chunk& chunk, bool causal) {
    pairs += pairs_of(chunk, causal);
    kv += static_cast<double>(chunk.kv);
    q += static_cast<double>(chunk.q);
    max_kv = std::max(max_kv, chunk.kv);
  }
};

/// Query rows of a chunk and packed heads, padded to tiles, times the KV that each passes.
double padded_pairs(const PrefillAttentionFit& fit, const AttentionShape& shape,
                    const Chunk& chunk) {
  if (chunk.q == 0) return 0;
  const std::int64_t group = fit.packs_group ? shape.heads / shape.kv_heads : 1;
  const std::int64_t rows = tiles_over(chunk.q * group, fit.row_tile) * fit.row_tile;
  const double kv = pairs_of(chunk, shape.causal) / static_cast<double>(chunk.q) + fit.query_offset;
  return static_cast<double>(rows) / static_cast<double>(group) * kv;
}

constexpr double kv_tile = 64;     // KV tokens that one step of the kernels' inner loop covers
constexpr double query_rows = 64;  // rows of the smallest query tile of variable-length kernels
constexpr double reference_heads =
    32;  // heads of the launch on which per-sequence costs are fitted

}  // namespace

double causal_pairs(const Chunk& chunk) {
  const auto q = static_cast<double>(chunk.q);
  const auto kv = static_cast<double>(chunk.kv);
  return q * kv - q * (q - 1) / 2;
}

Work prefill_attention(const PrefillAttentionFit& fit, const Card& card,
                       const AttentionShape& shape, std::span<const Chunk> chunks) {
  return prefill_attention(fit, card, shape, SeenChunks{chunks, {}});
}

Work prefill_attention(const PrefillAttentionFit& fit, const Card& card,
                       const AttentionShape& shape, const SeenChunks& chunks) {
  ChunkSums sums;
  double padded = 0;
  for (std::size_t i = 0; i < chunks.size(); ++i) {
    const Chunk chunk = chunks[i];
    sums.add(chunk, shape.causal);
    padded += padded_pairs(fit, shape, chunk);
  }
  const double small = shape.qk_dim <= 64 ? fit.small_head_factor : 1;
  const FlopRate rate = reached(fit.ec * small, card) * card.peak;
  const Seconds spread = attention_flops(shape, padded) / rate;
  // One tile of one head on one SM.
  const double longest = static_cast<double>(fit.row_tile) / static_cast<double>(shape.heads) *
                         (static_cast<double>(sums.max_kv) + fit.query_offset);
  const Seconds serial = attention_flops(shape, longest) / rate * (fit.serial * card.sm_count);
  const Seconds compute = overlapped(spread, serial, fit.exposed);
  const Bytes bytes = kv_bytes(shape, sums.kv) + query_and_output_bytes(shape, sums.q);
  const Seconds memory = bytes / (fit.eb * card.bandwidth);
  return kernel(fit.t0 + compute + memory, larger(compute, memory),
                attention_flops(shape, sums.pairs), bytes);
}

DecodeAttentionCost decode_attention(const DecodeAttentionFit& fit, const Card& card,
                                     const AttentionShape& shape, std::int64_t count) {
  const auto n = static_cast<double>(count);
  const auto kv_heads = static_cast<double>(shape.kv_heads);
  const Seconds read_one = kv_bytes(shape, 1) / (fit.eb * card.bandwidth);
  const Seconds compute_one = attention_flops(shape, 1) / card.peak;
  const Seconds token = std::max(read_one, compute_one);
  // Once sequences x KV heads fill the card, KV is no longer split and the longest one trails.
  const bool split = n * kv_heads < fit.unsplit_share_of_sms * card.sm_count;
  const double skew = split ? 0 : fit.skew;
  DecodeAttentionCost cost;
  cost.fixed = fit.t0 + fit.per_sequence_head * (n * kv_heads) +
               fit.per_sequence_query_head * (n * static_cast<double>(shape.heads));
  cost.per_sum_token = token * (1 - skew);
  cost.per_max_token = fit.per_64_kv / kv_tile + token * (skew * n);
  cost.cause = larger(compute_one, read_one);
  cost.flops_per_token = attention_flops(shape, 1).base();
  cost.bytes_per_token = shape.kv_bytes_per_token;
  return cost;
}

Work mixed_attention(const Calibration& calibration, const Card& card, const AttentionShape& shape,
                     std::span<const Chunk> chunks, const Decodes& decodes) {
  return mixed_attention(calibration, card, shape, SeenChunks{chunks, {}}, decodes);
}

Work mixed_attention(const Calibration& calibration, const Card& card, const AttentionShape& shape,
                     const SeenChunks& chunks, const Decodes& decodes) {
  const MixedAttentionFit& fit = *calibration.mixed;
  ChunkSums sums;
  for (std::size_t i = 0; i < chunks.size(); ++i) sums.add(chunks[i], shape.causal);
  const auto heads = static_cast<double>(shape.heads);
  const auto context = static_cast<double>(decodes.sum_context);

  const double chunk_pairs = sums.pairs + fit.query_offset * sums.q;
  const Seconds chunk_work =
      attention_flops(shape, chunk_pairs) / (reached(fit.prefill_rate, card) * card.peak);
  // No packing of query heads here: each sequence and head fills a tile of its own.
  const Seconds decode_work =
      attention_flops(shape, query_rows * context) / (reached(fit.decode_rate, card) * card.peak) +
      fit.per_sequence * (static_cast<double>(decodes.count) * heads / reference_heads);
  const auto longest = static_cast<double>(std::max(sums.max_kv, decodes.max_context));
  const Seconds compute =
      p_norm(chunk_work + decode_work, fit.chain * (longest / kv_tile), fit.chain_exponent);

  const Bytes decode_kv = kv_bytes(shape, context);
  const bool spills = fit.spill_threshold && decode_kv > *fit.spill_threshold;
  const double reads = spills ? heads / static_cast<double>(shape.kv_heads) : 1;
  const Seconds decode_read = decode_kv * reads / (calibration.decode.eb * card.bandwidth);
  const Bytes chunk_kv = kv_bytes(shape, sums.kv);
  const Seconds chunk_read = chunk_kv / (fit.eb * card.bandwidth);

  const Seconds time = fit.t0 + p_norm(compute, decode_read, fit.memory_exponent) + chunk_read;
  const Flops flops = attention_flops(shape, sums.pairs + context);
  return kernel(time, larger(compute, decode_read), flops, decode_kv + chunk_kv);
}

}  // namespace gpucap::perf
