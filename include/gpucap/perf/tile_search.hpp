#pragma once

#include "gpucap/perf/kernel.hpp"

#include <array>
#include <cstddef>
#include <cstdint>

namespace gpucap::perf {

/// max(M + exposed_arithmetic C, C + exposed_traffic M).
Seconds product_time(const GemmFit& fit, Seconds compute, Seconds memory);

/// The least product_time over the tile sizes and splits of k that matrix libraries choose from,
/// for products of one n and k on one card:
/// C = waves x one tile's time on one SM, not above the sustained rate; M = bytes / (eb B), to
/// which a split in s adds s partial results in FP32, written and read. Equal times: the first.
///
/// A bound on what a tile size can reach leaves most of the 64 pairs untried. It holds for
/// coefficients that are not negative, as all readers and fits demand.
class TileSearch {
 public:
  TileSearch() = default;
  /// `fit` has tiles.
  TileSearch(const GemmFit& fit, const Card& card, std::int64_t n, std::int64_t k);

  struct Best {
    Seconds time, compute, memory;
    std::size_t tile = 0;  ///< index among the sizes
  };
  /// `capped`: arithmetic at the sustained rate; `read`: traffic of an unsplit product; `partial`:
  /// of the partial results of one part.
  [[nodiscard]] Best operator()(std::int64_t m, Seconds capped, Seconds read,
                                Seconds partial) const;

 private:
  static constexpr std::size_t sizes = 8, splits = 8;
  struct Bounds;
  [[nodiscard]] Bounds bounds(std::int64_t m, Seconds capped) const;
  void try_splits(std::size_t tile, const Bounds& bounds, Seconds read, Seconds partial,
                  Best& best) const;
  [[nodiscard]] Seconds time(Seconds compute, Seconds memory) const;

  double exposed_arithmetic_ = 0, exposed_traffic_ = 0;
  double k_ = 0, fill_k_ = 0;
  double per_sm_ = 0;    ///< 1 / SMs
  double round_up_ = 0;  ///< what makes the nearest whole number of waves the next one
  std::array<double, sizes> columns_{};  ///< tiles along n
  std::array<Seconds, sizes> step_{};    ///< of one tile on one SM, per unit of k
  std::array<double, splits> depth_{};   ///< steps of k of one part, fill included
};

}  // namespace gpucap::perf
