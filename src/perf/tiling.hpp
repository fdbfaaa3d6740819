#pragma once

#include "gpucap/perf/kernel.hpp"

namespace gpucap::perf {

/// How many tiles of `tile` cover `length`.
constexpr std::int64_t tiles_over(std::int64_t length, std::int64_t tile) {
  return (length + tile - 1) / tile;
}

/// A product by its best tile size and split of k.
struct TiledTime {
  Seconds time, compute, memory;
};

/// max(M + exposed_arithmetic C, C + exposed_traffic M).
Seconds product_time(const GemmFit& fit, Seconds compute, Seconds memory);

/// The least product_time over the library's tiles and splits:
/// C = waves x one tile's time on one SM, not above the sustained rate; M = bytes / (eb B), to
/// which a split in s adds s partial results in FP32, written and read.
TiledTime best_tiling(const GemmFit& fit, const Card& card, const GemmShape& shape, Bytes bytes);

}  // namespace gpucap::perf
