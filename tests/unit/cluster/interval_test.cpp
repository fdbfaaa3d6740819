#include "gpucap/cluster/interval.hpp"

#include "support/catch.hpp"

using namespace gpucap;
using namespace gpucap::cluster;

TEST_CASE("a write of 5 min and failures every 3.09 h: Young 0.718 h, Daly 0.663 h") {
  // Young: sqrt(2 x 0.08333 x 3.09) = 0.7176. Daly: 0.7176 (1 + sqrt(0.013484)/3 + 0.013484/9)
  // - 0.0833 = 0.6631.
  const Seconds write = 5 * unit::minute, between = 3.09 * unit::hour;
  CHECK(young_interval(write, between).in(unit::hour) == Approx(0.7176).epsilon(1e-3));
  CHECK(daly_interval(write, between).in(unit::hour) == Approx(0.6631).epsilon(1e-3));
}

TEST_CASE("where a write takes twice the time between failures Daly saves once per failure") {
  CHECK(daly_interval(4 * unit::hour, 2 * unit::hour) == 2 * unit::hour);
}

TEST_CASE(
    "100 h in segments of 1 h with writes of 3 min take 111.823 h if 10 h lie between faults") {
  // 10 e^(0.1/10) (e^(1.05/10) - 1) x 100 / 1 = 10 x 1.010050 x 0.110711 x 100.
  const SegmentedRun run{100 * unit::hour, 1 * unit::hour, 0.05 * unit::hour, 0.1 * unit::hour,
                         10 * unit::hour};
  CHECK(run.mean_time().in(unit::hour) == Approx(111.823).epsilon(1e-5));
}

TEST_CASE("Daly's interval is the best one within a thousandth of the run") {
  SegmentedRun run{100 * unit::hour, {}, 5 * unit::minute, 0.1 * unit::hour, 3.09 * unit::hour};
  run.interval = daly_interval(run.write, run.mean_between);
  const Seconds least = run.mean_time();
  CHECK(run.work / least == Approx(0.760).epsilon(1e-3));  // the goodput of this case
  for (const double factor : {0.8, 0.9, 1.1, 1.2}) {
    SegmentedRun other = run;
    other.interval = factor * run.interval;
    CHECK(least < 1.001 * other.mean_time());
  }
}
