#include "gpucap/perf/gemm_cost.hpp"

#include "kernel_parts.hpp"

namespace gpucap::perf {
namespace {

constexpr double partial_bytes = 8;  // of a split: one FP32 number written and read again

}  // namespace

GemmCost::GemmCost(const GemmFit& fit, const Card& card, const GemmShape& shape)
    : fit_(fit),
      n_(static_cast<double>(shape.n)),
      k_(static_cast<double>(shape.k)),
      activation_bytes_(shape.activation_bytes),
      weights_(shape.weight_bytes * n_ * k_),
      capped_rate_((fit.tiles ? card.sustained : reached(fit.ec, card)) * card.peak),
      bandwidth_(fit.eb * card.bandwidth) {
  if (fit.tiles) tiles_ = TileSearch(fit, card, shape.n, shape.k);
}

Work GemmCost::operator()(std::int64_t rows) const {
  const auto m = static_cast<double>(rows);
  const Bytes bytes = (weights_ + activation_bytes_ * (m * k_ + m * n_)) * unit::byte;
  const Flops flops = 2 * m * n_ * k_ * unit::flop;
  const Seconds capped = flops / capped_rate_;
  const Seconds read = bytes / bandwidth_;
  if (!fit_.tiles) {
    return kernel(fit_.t0 + product_time(fit_, capped, read), larger(capped, read), flops, bytes);
  }
  const Seconds partial = partial_bytes * m * n_ * unit::byte / bandwidth_;
  const TileSearch::Best best = tiles_(rows, capped, read, partial);
  return kernel(fit_.t0 + best.time, larger(best.compute, best.memory), flops, bytes);
}

}  // namespace gpucap::perf
