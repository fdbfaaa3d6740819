#include "gpucap/perf/tile_search.hpp"

#include <algorithm>
#include <limits>

#include "kernel_parts.hpp"

namespace gpucap::perf {
namespace {

struct Tile {
  std::int64_t rows, columns;
};

// Tile sizes and splits that matrix libraries choose from. A set, not a fit: what a size costs is
// in the calibration.
constexpr std::array<Tile, 8> tile_sizes{
    {{16, 64}, {16, 128}, {64, 64}, {64, 128}, {128, 64}, {128, 128}, {128, 256}, {256, 128}}};
constexpr std::array<double, 8> parts{1, 2, 3, 4, 6, 8, 12, 16};

/// Cost of a FLOP in this tile against the largest, 256 x 128.
double loss(const GemmTiles& fit, const Tile& tile) {
  const double edges =
      1 / static_cast<double>(tile.rows) + 1 / static_cast<double>(tile.columns) - 3.0 / 256;
  return 1 + fit.edge_loss * edges;
}

/// The nearest whole number of a small positive one.
double nearest(double value) {
  constexpr double no_fraction = 4503599627370496.0;  // 2^52
  return (value + no_fraction) - no_fraction;
}

}  // namespace

Seconds product_time(const GemmFit& fit, Seconds compute, Seconds memory) {
  return std::max(memory + compute * fit.exposed_arithmetic,
                  compute + memory * fit.exposed_traffic);
}

struct TileSearch::Bounds {
  Seconds capped;
  std::array<double, sizes> tiles;
  std::array<Seconds, sizes> compute;  ///< whatever the split
};

TileSearch::TileSearch(const GemmFit& fit, const Card& card, std::int64_t n, std::int64_t k)
    : exposed_arithmetic_(fit.exposed_arithmetic),
      exposed_traffic_(fit.exposed_traffic),
      k_(static_cast<double>(k)),
      fill_k_(fit.tiles->fill_k),
      per_sm_(1.0 / card.sm_count),
      // Tiles / SMs, an exact multiple of 1 / SMs, ends half of that away from the middle between
      // two whole numbers: further than rounding can move it.
      round_up_(0.5 - 0.5 / card.sm_count) {
  const FlopRate one_sm = fit.ec * card.peak / card.sm_count;
  for (std::size_t i = 0; i < sizes; ++i) {
    const Tile& tile = tile_sizes[i];
    columns_[i] = static_cast<double>(tiles_over(n, tile.columns));
    step_[i] = static_cast<double>(2 * tile.rows * tile.columns) * loss(*fit.tiles, tile) *
               unit::flop / one_sm;
  }
  for (std::size_t s = 0; s < splits; ++s) depth_[s] = k_ / parts[s] + fill_k_;
}

Seconds TileSearch::time(Seconds compute, Seconds memory) const {
  return std::max(memory + compute * exposed_arithmetic_, compute + memory * exposed_traffic_);
}

/// s parts of T tiles on S SMs take ceil(T s / S) waves of k / s + fill steps. With u = T / S that
/// is at least k max(u, 1/16) + fill max(u, 1), s being 1 to 16.
TileSearch::Bounds TileSearch::bounds(std::int64_t m, Seconds capped) const {
  constexpr double rounding = 1 - 1e-12;
  Bounds bound;
  bound.capped = capped;
  for (std::size_t i = 0; i < sizes; ++i) {
    bound.tiles[i] = static_cast<double>(tiles_over(m, tile_sizes[i].rows)) * columns_[i];
    const double waves = bound.tiles[i] * per_sm_;
    const double steps =
        k_ * std::max(waves, 1 / parts.back()) + fill_k_ * std::max(waves, parts.front());
    bound.compute[i] = std::max(capped, step_[i] * (steps * rounding));
  }
  return bound;
}

void TileSearch::try_splits(std::size_t tile, const Bounds& bound, Seconds read, Seconds partial,
                            Best& best) const {
  for (std::size_t s = 0; s < splits; ++s) {
    const Seconds memory = s > 0 ? read + partial * parts[s] : read;
    if (time(bound.compute[tile], memory) > best.time) return;  // more parts only add traffic
    const double waves = nearest(bound.tiles[tile] * parts[s] * per_sm_ + round_up_);
    const Seconds compute = std::max(bound.capped, step_[tile] * (waves * depth_[s]));
    const Seconds one = time(compute, memory);
    if (one < best.time || (one == best.time && tile < best.tile)) {
      best = {one, compute, memory, tile};
    }
  }
}

TileSearch::Best TileSearch::operator()(std::int64_t m, Seconds capped, Seconds read,
                                        Seconds partial) const {
  const Bounds bound = bounds(m, capped);
  const auto likely = static_cast<std::size_t>(
      std::min_element(bound.compute.begin(), bound.compute.end()) - bound.compute.begin());
  Best best;
  best.time = Seconds::from_base(std::numeric_limits<double>::infinity());
  best.tile = sizes;
  try_splits(likely, bound, read, partial, best);
  for (std::size_t i = 0; i < sizes; ++i) {
    if (i != likely) try_splits(i, bound, read, partial, best);
  }
  return best;
}

}  // namespace gpucap::perf
