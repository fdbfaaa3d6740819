#pragma once

#include "gpucap/perf/calibration.hpp"
#include "gpucap/perf/kernel.hpp"
#include "gpucap/perf/tile_search.hpp"

#include <cstdint>

namespace gpucap::perf {

/// `gemm` with all but the number of rows settled; what depends on n, k, card and fit only is
/// worked out once.
class GemmCost {
 public:
  /// `shape.m` is not looked at.
  GemmCost(const GemmFit& fit, const Card& card, const GemmShape& shape);

  [[nodiscard]] Work operator()(std::int64_t m) const;

 private:
  GemmFit fit_;
  double n_, k_, activation_bytes_;
  double weights_;        ///< bytes
  FlopRate capped_rate_;  ///< what arithmetic is held to whatever the tiles
  Bandwidth bandwidth_;
  TileSearch tiles_;  ///< where the fit has tiles
};

}  // namespace gpucap::perf
