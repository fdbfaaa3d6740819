#pragma once

#include "gpucap/perf/calibration.hpp"
#include "gpucap/perf/cause.hpp"
#include "gpucap/units/quantity.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace gpucap::perf {

/// Time on one card, split by what limits it, and the work done in it. Sums of kernels are sums
/// of these.
struct Work {
  std::array<Seconds, cause_count> by_cause{};
  Flops flops;
  Bytes bytes;       ///< read and written in device memory
  Bytes link_bytes;  ///< sent to other cards

  [[nodiscard]] Seconds time() const {
    Seconds sum;
    for (const Seconds part : by_cause) sum += part;
    return sum;
  }

  Work& operator+=(const Work& other) {
    for (std::size_t i = 0; i < cause_count; ++i) by_cause[i] += other.by_cause[i];
    flops += other.flops;
    bytes += other.bytes;
    link_bytes += other.link_bytes;
    return *this;
  }

  [[nodiscard]] Work times(double count) const {
    Work scaled = slowed(count);
    scaled.flops = flops * count;
    scaled.bytes = bytes * count;
    scaled.link_bytes = link_bytes * count;
    return scaled;
  }

  /// The same work in `factor` times the time.
  [[nodiscard]] Work slowed(double factor) const {
    Work slow = *this;
    for (Seconds& part : slow.by_cause) part = part * factor;
    return slow;
  }
};

/// The ceilings of a card for one kernel, and what fills a wave.
struct Card {
  FlopRate peak;  ///< dense, of the dtype that the kernel computes in
  Bandwidth bandwidth;
  int sm_count = 0;
  double sustained = 1;  ///< share of the peak that the power cap allows
};

/// [m, k] x [k, n]; weights and activations may be stored in different widths.
struct GemmShape {
  std::int64_t m = 0, n = 0, k = 0;
  double weight_bytes = 2;      ///< per weight, scales included
  double activation_bytes = 2;  ///< per number in and out
};
Work gemm(const GemmFit& fit, const Card& card, const GemmShape& shape);

/// The same with quantised weights, activations narrowed first where the format does that.
Work quantised_gemm(const FormatFit& fit, const Card& card, const GemmShape& shape);

/// Weights that are widened inside the product: its arithmetic is that of a plain product, so it is
/// no faster than one that reads as little.
Work widened_gemm(const FormatFit& fit, const GemmFit& plain, const Card& card,
                  const GemmShape& shape);

/// The routed experts of one layer for `tokens` tokens: products with the experts' matrices of
/// which only the touched ones are read. Uniform routing touches E (1 - (1 - k/E)^tokens) experts.
struct ExpertShape {
  std::int64_t tokens = 0, hidden = 0, ffn = 0;  ///< ffn on this rank
  std::int64_t experts = 0, per_token = 0;       ///< of the whole layer
  double weight_bytes = 2;
  double share = 1;  ///< of the experts that stand on this rank
};
double experts_touched(const ExpertShape& shape);  ///< on this rank
Work routed_experts(const ExpertFit& fit, const Card& card, const ExpertShape& shape);
/// The same where it is known how many experts of this rank are touched.
Work routed_experts(const ExpertFit& fit, const Card& card, const ExpertShape& shape,
                    double touched);

/// Heads of one layer on one rank. For latent attention kv_heads is 1 and the cached vector serves
/// as key and value of every head.
struct AttentionShape {
  std::int64_t heads = 0, kv_heads = 0;
  std::int64_t qk_dim = 0, v_dim = 0;
  double kv_bytes_per_token = 0;  ///< of one layer on this rank
  bool causal = true;             ///< false: each token sees all others (encoders)
};

/// New tokens of one prompt in a step: `q` of them, `kv` cached tokens in all when they are done.
struct Chunk {
  std::int64_t q = 0, kv = 0;
};

/// Sequences that decode in a step: how many, and the sum and maximum of their contexts.
struct Decodes {
  std::int64_t count = 0, sum_context = 0, max_context = 0;
};

/// Query-key pairs of a causal chunk.
double causal_pairs(const Chunk& chunk);

Work prefill_attention(const PrefillAttentionFit& fit, const Card& card,
                       const AttentionShape& shape, std::span<const Chunk> chunks);

/// Affine in (sum_context, max_context) for a given count: what makes a closed form exact.
struct DecodeAttentionCost {
  Seconds fixed, per_sum_token, per_max_token;
  Cause cause = Cause::memory_bandwidth;
  double flops_per_token = 0, bytes_per_token = 0;
};
DecodeAttentionCost decode_attention(const DecodeAttentionFit& fit, const Card& card,
                                     const AttentionShape& shape, std::int64_t count);

/// Chunks and decodes in one launch of a variable-length kernel; more than the sum of both.
Work mixed_attention(const Calibration& calibration, const Card& card, const AttentionShape& shape,
                     std::span<const Chunk> chunks, const Decodes& decodes);

/// A kernel that streams `moved` bytes.
Work elementwise(Seconds t0, const Card& card, Bytes moved);

/// Choosing the next token of `sequences` sequences from their logits.
Work sampling(const SamplerFit& fit, std::int64_t sequences);

/// What the fit was made for: `payload` as nccl-tests counts it.
Work exchange(const CollectiveFit& fit, Bytes payload);

/// Ring all-reduce of `payload` bytes over fit.ranks cards.
Work all_reduce(const CollectiveFit& fit, Bytes payload);

/// All-gather that leaves `payload` bytes in all on every rank.
Work all_gather(const CollectiveFit& fit, Bytes payload);

/// Reduce-scatter of `payload` bytes held by every rank; each keeps the sum of its share.
Work reduce_scatter(const CollectiveFit& fit, Bytes payload);

/// All-to-all: every rank holds `payload` bytes and gives each rank, itself too, an equal share.
Work all_to_all(const CollectiveFit& fit, Bytes payload);

/// One rank hands `payload` bytes to another.
Work send_recv(const CollectiveFit& fit, Bytes payload);

}  // namespace gpucap::perf
