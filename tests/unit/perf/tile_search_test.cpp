// The search over tiles and splits leaves most pairs untried; here all are tried.
#include "gpucap/core/random.hpp"
#include "gpucap/perf/gemm_cost.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <utility>

#include "support/catch.hpp"

using namespace gpucap;
using namespace gpucap::perf;

namespace {

constexpr std::array<std::pair<std::int64_t, std::int64_t>, 8> tiles{
    {{16, 64}, {16, 128}, {64, 64}, {64, 128}, {128, 64}, {128, 128}, {128, 256}, {256, 128}}};
constexpr std::array<std::int64_t, 8> splits{1, 2, 3, 4, 6, 8, 12, 16};

std::int64_t ceil_div(std::int64_t a, std::int64_t b) {
  return (a + b - 1) / b;
}

struct Product {
  GemmFit fit;
  Card card;
  GemmShape shape;
};

/// C and M of one pair, docs/models/gemm.md.
std::pair<Seconds, Seconds> by_pair(const Product& p, std::size_t tile, std::int64_t split,
                                    Bytes bytes) {
  const auto [rows, columns] = tiles[tile];
  const auto m = static_cast<double>(p.shape.m), n = static_cast<double>(p.shape.n),
             k = static_cast<double>(p.shape.k), parts = static_cast<double>(split);
  const double edges = 1 / static_cast<double>(rows) + 1 / static_cast<double>(columns) - 3.0 / 256;
  const Seconds step = static_cast<double>(2 * rows * columns) *
                       (1 + p.fit.tiles->edge_loss * edges) * unit::flop /
                       (p.fit.ec * p.card.peak / p.card.sm_count);
  const std::int64_t count = ceil_div(p.shape.m, rows) * ceil_div(p.shape.n, columns);
  const auto waves = static_cast<double>(ceil_div(count * split, p.card.sm_count));
  const Seconds capped = 2 * m * n * k * unit::flop / (p.card.sustained * p.card.peak);
  const Bandwidth rate = p.fit.eb * p.card.bandwidth;
  const Seconds partial = 8 * m * n * unit::byte / rate;
  return {std::max(capped, step * (waves * (k / parts + p.fit.tiles->fill_k))),
          split > 1 ? bytes / rate + partial * parts : bytes / rate};
}

Work all_pairs(const Product& p, Bytes bytes) {
  Seconds best;
  Cause cause = Cause::compute;
  for (std::size_t tile = 0; tile < tiles.size(); ++tile) {
    for (const std::int64_t split : splits) {
      const auto [compute, memory] = by_pair(p, tile, split, bytes);
      const Seconds time = std::max(memory + compute * p.fit.exposed_arithmetic,
                                    compute + memory * p.fit.exposed_traffic);
      if (best != Seconds{} && time >= best) continue;
      best = time;
      cause = compute > memory ? Cause::compute : Cause::memory_bandwidth;
    }
  }
  Work work;
  work.by_cause[static_cast<std::size_t>(cause)] = p.fit.t0 + best;
  return work;
}

/// Between the bounds, the logarithm evenly.
double spread(RandomStream& random, double low, double high) {
  return low * std::pow(high / low, random.uniform());
}

std::int64_t size(RandomStream& random, double high) {
  return std::llround(spread(random, 1, high));
}

Product random_product(RandomStream& random) {
  Product p;
  p.fit = {
      spread(random, 0.3, 1), spread(random, 0.3, 1),
      random.uniform(),       random.uniform(),
      4 * unit::us,           GemmTiles{spread(random, 0.01, 1000), spread(random, 0.01, 10000)}};
  if (size(random, 4) == 1) p.fit.tiles = GemmTiles{};  // then many pairs take equal times
  if (size(random, 4) == 1) p.fit.exposed_arithmetic = p.fit.exposed_traffic = 0;
  p.card = {spread(random, 1, 2000) * unit::TFLOP_per_s, spread(random, 100, 8000) * unit::GB_per_s,
            static_cast<int>(size(random, 200)), spread(random, 0.3, 1)};
  p.shape = {size(random, 20000), size(random, 200000), size(random, 60000), spread(random, 0.5, 4),
             2};
  return p;
}

}  // namespace

TEST_CASE("the search finds what trying all tiles and splits finds, bit for bit") {
  RandomStream random(11, "tile search");
  for (int i = 0; i < 20000; ++i) {
    const Product p = random_product(random);
    const GemmCost cost(p.fit, p.card, p.shape);
    for (const std::int64_t m : {p.shape.m, std::int64_t{1} + i % 300}) {
      Product at = p;
      at.shape.m = m;
      const Work found = cost(m);
      const Work plain = all_pairs(at, found.bytes);
      CAPTURE(i, m, p.shape.n, p.shape.k, p.card.sm_count);
      CHECK(found.by_cause == plain.by_cause);
    }
  }
}
