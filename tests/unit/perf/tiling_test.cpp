// Products by waves of tiles, and what the power cap leaves.
#include "gpucap/perf/kernel.hpp"
#include "gpucap/perf/sustained_rate.hpp"

#include "support/catch.hpp"

using namespace gpucap;
using namespace gpucap::perf;

namespace {

const Card card{100 * unit::TFLOP_per_s, 1000 * unit::GB_per_s, 100};

GemmFit tiled(double edge_loss, double fill_k) {
  return {1, 1, 0, 0, Seconds{}, GemmTiles{edge_loss, fill_k}};
}

Seconds time(const GemmFit& fit, const Card& on, const GemmShape& shape) {
  return gemm(fit, on, shape).time();
}

}  // namespace

TEST_CASE("a product of one whole wave of the largest tiles takes F / P") {
  // 2,560 x 1,280: 10 x 10 tiles of 256 x 128 on 100 SMs. 2 x 2560 x 1280 x 4096 FLOP: 268.4 us.
  CHECK(time(tiled(1000, 0), card, {2560, 1280, 4096}).in(unit::us) ==
        Approx(2.0 * 2560 * 1280 * 4096 / 100e6));
}

TEST_CASE("one row beyond a wave costs a second wave where smaller tiles cost too much") {
  // Edges lose so much that only 256 x 128 is left, and filling so much that k is not split.
  // 2,561 rows are 11 x 10 tiles: two waves, twice the time, fill included.
  const GemmFit fit = tiled(1e6, 1e6);
  const Seconds one = time(fit, card, {2560, 1280, 4096});
  CHECK(time(fit, card, {2561, 1280, 4096}).base() == Approx(2 * one.base()));
}

TEST_CASE("a small tile costs its edges") {
  // 128 x 12,800 is one wave of 128 x 128: 1 + 25.6 (1/128 + 1/128 - 3/256) = 1.1 times F / P, and
  // a fill as long as k doubles that. 50 tiles of 128 x 256 take 4 unsplit, 3 split in two.
  const double exact = 2.0 * 128 * 12800 * 40960 / 100e6;
  CHECK(time(tiled(25.6, 40960), card, {128, 12800, 40960}).in(unit::us) == Approx(2.2 * exact));
}

TEST_CASE("split-K fills idle SMs and pays with partial results") {
  // 256 x 128 x 65,536 is one such tile. Split in 16, each part takes 65,536 / 16 + 100 steps of
  // 2 x 256 x 128 FLOP on an SM of 1 TFLOP/s: 275.0 us; 16 partial results of 8 bytes per number
  // are 4.19 MB more traffic and stay hidden.
  const GemmFit fit = tiled(1e6, 100);
  CHECK(time(fit, card, {256, 128, 65536}).in(unit::us) ==
        Approx((65536.0 / 16 + 100) * 2 * 256 * 128 / 1e6));
}

TEST_CASE("the sustained rate bounds large products and leaves small ones alone") {
  Card capped = card;
  capped.sustained = 0.5;
  const GemmFit fit = tiled(0, 0);
  const GemmShape large{2560, 1280, 4096};
  CHECK(time(fit, capped, large).base() == Approx(2 * time(fit, card, large).base()));
  // One row: 8.4 MB of traffic take 8.4 us, the arithmetic a fraction of that either way.
  const GemmShape row{1, 4096, 1024};
  CHECK(time(fit, capped, row) == time(fit, card, row));
}

TEST_CASE("more bandwidth, peak, sustained rate or SMs at the same rate each: never slower") {
  const GemmFit fit{0.9, 0.8, 0.2, 0.1, 4 * unit::us, GemmTiles{25, 120}};
  for (const std::int64_t m : {1, 17, 64, 65, 128, 129, 300, 513, 2049, 8192}) {
    INFO(m);
    const GemmShape shape{m, 6144, 4096};
    Card base = card;
    base.sustained = 0.6;
    Card wide = base, fast = base, warm = base, many = base;
    wide.bandwidth = 1.1 * base.bandwidth;
    fast.peak = 1.1 * base.peak;
    warm.sustained = 0.7;
    many.sm_count = 110;
    many.peak = 1.1 * base.peak;
    for (const Card& better : {wide, fast, warm, many}) {
      CHECK(time(fit, better, shape) <= time(fit, base, shape));
    }
  }
}

TEST_CASE("more rows never take less time") {
  const GemmFit fit{0.9, 0.8, 0.2, 0.1, 4 * unit::us, GemmTiles{25, 120}};
  Seconds before;
  for (std::int64_t m = 1; m < 1200; ++m) {
    const Seconds now = time(fit, card, {m, 4096, 14336});
    CHECK(now >= before);
    before = now;
  }
}

TEST_CASE("an L40S sustains 0.57 of its peak and an RTX 4090 all of it, by one energy per FLOP") {
  // 0.893 pJ at 1 GHz. L40S: 362.05 TFLOP/s at 2.52 GHz would ask 814.8 W; of 350 W 85 go into the
  // floor: sqrt(265 / 814.8) = 0.570. RTX 4090: 371.8 W against 450 - 73 = 377.
  const SwitchingEnergy energy{0.893e-12 * unit::J, 1000 * unit::MHz};
  const PowerCap l40s{350 * unit::W, 85 * unit::W, 362.05 * unit::TFLOP_per_s, 2520 * unit::MHz};
  const PowerCap rtx4090{450 * unit::W, 73 * unit::W, 165.2 * unit::TFLOP_per_s, 2520 * unit::MHz};
  CHECK(sustained_share(energy, l40s) == Approx(0.570).epsilon(0.001));
  CHECK(sustained_share(energy, rtx4090) == 1);
}

TEST_CASE("four times the watts above the floor sustain twice the rate") {
  // Energy per FLOP goes with the clock, power with its square.
  const SwitchingEnergy energy{1e-12 * unit::J, 1000 * unit::MHz};
  PowerCap cap{150 * unit::W, 50 * unit::W, 1000 * unit::TFLOP_per_s, 1000 * unit::MHz};
  const double low = sustained_share(energy, cap);
  CHECK(low == Approx(std::sqrt(0.1)));
  cap.limit = 450 * unit::W;
  CHECK(sustained_share(energy, cap) == Approx(2 * low));
}
