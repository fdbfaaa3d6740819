#include "gpucap/perf/kernel.hpp"

#include <algorithm>
#include <cmath>

#include "tiling.hpp"

namespace gpucap::perf {
namespace {

/// Smooth maximum: (a^p + b^p)^(1/p).
Seconds p_norm(Seconds a, Seconds b, double p) {
  const double large = std::max(a, b).base();
  const double small = std::min(a, b).base();
  if (large <= 0) return Seconds{};
  return Seconds::from_base(large * std::pow(1 + std::pow(small / large, p), 1 / p));
}

Work kernel(Seconds time, Cause cause, Flops flops, Bytes bytes) {
  Work work;
  work.by_cause[static_cast<std::size_t>(cause)] = time;
  work.flops = flops;
  work.bytes = bytes;
  return work;
}

Cause larger(Seconds compute, Seconds memory) {
  return compute > memory ? Cause::compute : Cause::memory_bandwidth;
}

/// Two parts of a kernel that overlap but for a share of the shorter.
Seconds overlapped(Seconds a, Seconds b, double exposed) {
  return std::max(a, b) + std::min(a, b) * exposed;
}

/// Share of the peak that a kernel reaches: what it issues, or what the power cap leaves.
double reached(double issued, const Card& card) {
  return std::min(issued, card.sustained);
}

/// Time of a product with `flops` of arithmetic and `bytes` of traffic, tiles not looked at.
Work product(const GemmFit& fit, const Card& card, Flops flops, Bytes bytes) {
  const Seconds compute = flops / (reached(fit.ec, card) * card.peak);
  const Seconds memory = bytes / (fit.eb * card.bandwidth);
  return kernel(fit.t0 + product_time(fit, compute, memory), larger(compute, memory), flops, bytes);
}

Work rounded_roofline(const RooflineFit& fit, const Card& card, Flops flops, Bytes bytes) {
  const Seconds compute = flops / (fit.ec * card.peak);
  const Seconds memory = bytes / (fit.eb * card.bandwidth);
  return kernel(fit.t0 + p_norm(compute, memory, fit.p), larger(compute, memory), flops, bytes);
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

struct ChunkSums {
  double pairs = 0, kv = 0, q = 0;
  std::int64_t max_kv = 0;
};

double pairs_of(const Chunk& chunk, bool causal) {
  return causal ? causal_pairs(chunk) : static_cast<double>(chunk.q * chunk.kv);
}

/// Query rows of all chunks and packed heads, padded to tiles, times the KV that each passes.
double padded_pairs(const PrefillAttentionFit& fit, const AttentionShape& shape,
                    std::span<const Chunk> chunks) {
  const std::int64_t group = fit.packs_group ? shape.heads / shape.kv_heads : 1;
  double pairs = 0;
  for (const Chunk& chunk : chunks) {
    if (chunk.q == 0) continue;
    const std::int64_t rows = tiles_over(chunk.q * group, fit.row_tile) * fit.row_tile;
    const double kv =
        pairs_of(chunk, shape.causal) / static_cast<double>(chunk.q) + fit.query_offset;
    pairs += static_cast<double>(rows) / static_cast<double>(group) * kv;
  }
  return pairs;
}

ChunkSums sums_of(std::span<const Chunk> chunks, bool causal) {
  ChunkSums sums;
  for (const Chunk& chunk : chunks) {
    sums.pairs += pairs_of(chunk, causal);
    sums.kv += static_cast<double>(chunk.kv);
    sums.q += static_cast<double>(chunk.q);
    sums.max_kv = std::max(sums.max_kv, chunk.kv);
  }
  return sums;
}

constexpr double kv_tile = 64;     // KV tokens that one step of the kernels' inner loop covers
constexpr double query_rows = 64;  // rows of the smallest query tile of variable-length kernels
constexpr double reference_heads =
    32;  // heads of the launch on which per-sequence costs are fitted

}  // namespace

Seconds Work::time() const {
  Seconds sum;
  for (const Seconds part : by_cause) sum += part;
  return sum;
}

Work& Work::operator+=(const Work& other) {
  for (std::size_t i = 0; i < cause_count; ++i) by_cause[i] += other.by_cause[i];
  flops += other.flops;
  bytes += other.bytes;
  link_bytes += other.link_bytes;
  return *this;
}

Work Work::times(double count) const {
  Work scaled;
  for (std::size_t i = 0; i < cause_count; ++i) scaled.by_cause[i] = by_cause[i] * count;
  scaled.flops = flops * count;
  scaled.bytes = bytes * count;
  scaled.link_bytes = link_bytes * count;
  return scaled;
}

Work Work::slowed(double factor) const {
  Work slow = *this;
  for (Seconds& part : slow.by_cause) part = part * factor;
  return slow;
}

Work gemm(const GemmFit& fit, const Card& card, const GemmShape& shape) {
  const auto m = static_cast<double>(shape.m);
  const auto n = static_cast<double>(shape.n);
  const auto k = static_cast<double>(shape.k);
  const Bytes bytes =
      (shape.weight_bytes * n * k + shape.activation_bytes * (m * k + m * n)) * unit::byte;
  const Flops flops = 2 * m * n * k * unit::flop;
  if (!fit.tiles) return product(fit, card, flops, bytes);
  const TiledTime best = best_tiling(fit, card, shape, bytes);
  return kernel(fit.t0 + best.time, larger(best.compute, best.memory), flops, bytes);
}

Work quantised_gemm(const FormatFit& fit, const Card& card, const GemmShape& shape) {
  const auto numbers = static_cast<double>(shape.m * (shape.k + shape.n));
  const auto weights = static_cast<double>(shape.n * shape.k);
  const Bytes bytes =
      (shape.weight_bytes * weights + shape.activation_bytes * numbers) * unit::byte;
  const Flops flops = 2 * static_cast<double>(shape.m) * weights * unit::flop;
  Work work = rounded_roofline(fit.product, card, flops, bytes);
  const Bytes narrowed = fit.quantise_bytes * static_cast<double>(shape.m * shape.k) * unit::byte;
  work += kernel(narrowed / card.bandwidth, Cause::memory_bandwidth, Flops{}, narrowed);
  return work;
}

Work widened_gemm(const FormatFit& fit, const GemmFit& plain, const Card& card,
                  const GemmShape& shape) {
  const Work own = quantised_gemm(fit, card, shape);
  const Work least = gemm(plain, card, shape);
  return own.time() < least.time() ? least : own;
}

double experts_touched(const ExpertShape& shape) {
  const auto experts = static_cast<double>(shape.experts);
  const double missed = 1 - static_cast<double>(shape.per_token) / experts;
  return shape.share * experts * (1 - std::pow(missed, static_cast<double>(shape.tokens)));
}

Work routed_experts(const ExpertFit& fit, const Card& card, const ExpertShape& shape) {
  return routed_experts(fit, card, shape, experts_touched(shape));
}

Work routed_experts(const ExpertFit& fit, const Card& card, const ExpertShape& shape,
                    double touched) {
  const double rows = shape.share * static_cast<double>(shape.tokens * shape.per_token);
  const auto hidden = static_cast<double>(shape.hidden);
  const auto ffn = static_cast<double>(shape.ffn);
  // A full tile for each touched expert, and on the average half a tile at the end of its rows.
  const double tile_rows =
      std::max({rows, touched * fit.block_rows, rows + touched * fit.block_rows / 2});
  const Flops issued = 2 * tile_rows * 3 * hidden * ffn * unit::flop;
  // Into and out of gate-and-up, activation, down and the sum over a token's experts, in 16 bits.
  const double activations = 2 * rows * 3 * (hidden + 2 * ffn);
  const Bytes bytes = (touched * 3 * hidden * ffn * shape.weight_bytes + activations) * unit::byte;
  Work work = rounded_roofline(fit.product, card, issued, bytes);
  work.flops = 2 * rows * 3 * hidden * ffn * unit::flop;
  return work;
}

double causal_pairs(const Chunk& chunk) {
  const auto q = static_cast<double>(chunk.q);
  const auto kv = static_cast<double>(chunk.kv);
  return q * kv - q * (q - 1) / 2;
}

Work prefill_attention(const PrefillAttentionFit& fit, const Card& card,
                       const AttentionShape& shape, std::span<const Chunk> chunks) {
  const ChunkSums sums = sums_of(chunks, shape.causal);
  const double small = shape.qk_dim <= 64 ? fit.small_head_factor : 1;
  const FlopRate rate = reached(fit.ec * small, card) * card.peak;
  const Seconds spread = attention_flops(shape, padded_pairs(fit, shape, chunks)) / rate;
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
  const MixedAttentionFit& fit = *calibration.mixed;
  const ChunkSums sums = sums_of(chunks, shape.causal);
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

Work elementwise(Seconds t0, const Card& card, Bytes moved) {
  constexpr double launch_exponent = 3;  // the form of docs/models/elementwise.md
  return kernel(p_norm(t0, moved / card.bandwidth, launch_exponent), Cause::memory_bandwidth,
                Flops{}, moved);
}

Work sampling(const SamplerFit& fit, std::int64_t sequences) {
  const std::int64_t beyond = std::max<std::int64_t>(0, sequences - fit.many);
  return kernel(fit.base + fit.per_sequence * static_cast<double>(sequences) +
                    fit.per_sequence_beyond * static_cast<double>(beyond),
                Cause::memory_bandwidth, Flops{}, Bytes{});
}

namespace {

using hardware::Collective;

Work exchange(const CollectiveFit& fit, Collective collective, Bytes payload) {
  const Bytes sent = payload * hardware::sent_share(collective, fit.ranks);
  CollectiveFit::Piece piece{payload, fit.alpha, fit.busbw, fit.q};
  for (const CollectiveFit::Piece& smaller : fit.smaller) {
    if (payload >= smaller.below) continue;
    piece = smaller;
    break;
  }
  Work work;
  work.by_cause[static_cast<std::size_t>(Cause::link)] =
      p_norm(piece.alpha, sent / piece.busbw, piece.q);
  work.link_bytes = sent;
  return work;
}

}  // namespace

Work exchange(const CollectiveFit& fit, Bytes payload) {
  return exchange(fit, fit.collective, payload);
}

Work all_reduce(const CollectiveFit& fit, Bytes payload) {
  return exchange(fit, Collective::all_reduce, payload);
}

Work all_gather(const CollectiveFit& fit, Bytes payload) {
  return exchange(fit, Collective::all_gather, payload);
}

Work reduce_scatter(const CollectiveFit& fit, Bytes payload) {
  return exchange(fit, Collective::reduce_scatter, payload);
}

Work all_to_all(const CollectiveFit& fit, Bytes payload) {
  return exchange(fit, Collective::all_to_all, payload);
}

Work send_recv(const CollectiveFit& fit, Bytes payload) {
  return exchange(fit, Collective::send_recv, payload);
}

}  // namespace gpucap::perf
