#include "tiling.hpp"

#include <algorithm>
#include <array>

namespace gpucap::perf {
namespace {

struct Tile {
  std::int64_t rows, columns;
};

// Tile sizes and splits that matrix libraries choose from. A set, not a fit: what a size costs is
// in the calibration.
constexpr std::array<Tile, 8> tile_sizes{
    {{16, 64}, {16, 128}, {64, 64}, {64, 128}, {128, 64}, {128, 128}, {128, 256}, {256, 128}}};
constexpr std::array<std::int64_t, 8> splits{1, 2, 3, 4, 6, 8, 12, 16};
constexpr double partial_bytes = 8;  // of a split: one FP32 number written and read again

/// Cost of a FLOP in this tile against the largest, 256 x 128.
double loss(const GemmTiles& fit, const Tile& tile) {
  const double edges =
      1 / static_cast<double>(tile.rows) + 1 / static_cast<double>(tile.columns) - 3.0 / 256;
  return 1 + fit.edge_loss * edges;
}

}  // namespace

Seconds product_time(const GemmFit& fit, Seconds compute, Seconds memory) {
  return std::max(memory + compute * fit.exposed_arithmetic,
                  compute + memory * fit.exposed_traffic);
}

TiledTime best_tiling(const GemmFit& fit, const Card& card, const GemmShape& shape, Bytes bytes) {
  const auto m = static_cast<double>(shape.m);
  const auto n = static_cast<double>(shape.n);
  const auto k = static_cast<double>(shape.k);
  const FlopRate one_sm = fit.ec * card.peak / card.sm_count;
  const Seconds capped = 2 * m * n * k * unit::flop / (card.sustained * card.peak);
  const Seconds read = bytes / (fit.eb * card.bandwidth);
  const Seconds partial = partial_bytes * m * n * unit::byte / (fit.eb * card.bandwidth);
  TiledTime best;
  for (const Tile& tile : tile_sizes) {
    const std::int64_t tiles = tiles_over(shape.m, tile.rows) * tiles_over(shape.n, tile.columns);
    const Seconds step = static_cast<double>(2 * tile.rows * tile.columns) *
                         loss(*fit.tiles, tile) * unit::flop / one_sm;
    for (const std::int64_t split : splits) {
      const auto parts = static_cast<double>(split);
      const auto waves = static_cast<double>(tiles_over(tiles * split, card.sm_count));
      TiledTime one;
      one.compute = std::max(capped, step * (waves * (k / parts + fit.tiles->fill_k)));
      one.memory = split > 1 ? read + partial * parts : read;
      one.time = product_time(fit, one.compute, one.memory);
      if (best.time == Seconds{} || one.time < best.time) best = one;
    }
  }
  return best;
}

}  // namespace gpucap::perf
