#include "gpucap/perf/kernel.hpp"

#include "gpucap/perf/gemm_cost.hpp"

#include <algorithm>
#include <cmath>

#include "kernel_parts.hpp"

namespace gpucap::perf {
namespace {

Work rounded_roofline(const RooflineFit& fit, const Card& card, Flops flops, Bytes bytes) {
  const Seconds compute = flops / (fit.ec * card.peak);
  const Seconds memory = bytes / (fit.eb * card.bandwidth);
  return kernel(fit.t0 + p_norm(compute, memory, fit.p), larger(compute, memory), flops, bytes);
}

}  // namespace

Work gemm(const GemmFit& fit, const Card& card, const GemmShape& shape) {
  return GemmCost(fit, card, shape)(shape.m);
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
  return slower(quantised_gemm(fit, card, shape), gemm(plain, card, shape));
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
