#pragma once

#include "gpucap/perf/kernel.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

/// What the forms of several kernels share.
namespace gpucap::perf {

/// How many tiles of `tile` cover `length`.
constexpr std::int64_t tiles_over(std::int64_t length, std::int64_t tile) {
  return (length + tile - 1) / tile;
}

/// Smooth maximum: (a^p + b^p)^(1/p).
inline Seconds p_norm(Seconds a, Seconds b, double p) {
  const double large = std::max(a, b).base();
  const double small = std::min(a, b).base();
  if (large <= 0) return Seconds{};
  return Seconds::from_base(large * std::pow(1 + std::pow(small / large, p), 1 / p));
}

inline Work kernel(Seconds time, Cause cause, Flops flops, Bytes bytes) {
  Work work;
  work.by_cause[static_cast<std::size_t>(cause)] = time;
  work.flops = flops;
  work.bytes = bytes;
  return work;
}

inline Cause larger(Seconds compute, Seconds memory) {
  return compute > memory ? Cause::compute : Cause::memory_bandwidth;
}

inline const Work& slower(const Work& a, const Work& b) {
  return a.time() < b.time() ? b : a;
}

/// Share of the peak that a kernel reaches: what it issues, or what the power cap leaves.
inline double reached(double issued, const Card& card) {
  return std::min(issued, card.sustained);
}

}  // namespace gpucap::perf
