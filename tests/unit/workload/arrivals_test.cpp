#include "gpucap/workload/arrivals.hpp"

#include <cmath>
#include <utility>

#include "support/catch.hpp"

using namespace gpucap;
using namespace gpucap::workload;

namespace {

struct Moments {
  double mean, variation;
};

/// Mean and coefficient of variation of n gaps, in seconds.
Moments gaps(const Arrivals& arrivals, int n) {
  ArrivalClock clock(11, arrivals);
  double last = as_seconds(clock.next()), sum = 0, squares = 0;
  for (int i = 0; i < n; ++i) {
    const double now = as_seconds(clock.next());
    sum += now - last;
    squares += (now - last) * (now - last);
    last = now;
  }
  const double mean = sum / n;
  return {mean, std::sqrt(squares / n - mean * mean) / mean};
}

constexpr int n = 100000;

}  // namespace

TEST_CASE("equal gaps do not drift") {
  // At 3 per second request 3,000,000 arrives at 1,000,000 s exactly, though 1/3 s is no whole ns.
  ArrivalClock clock(1, *Arrivals::constant(3 * unit::per_s));
  CHECK(clock.next() == SimTime{0});
  CHECK(clock.next() == SimTime{333'333'333});
  for (int i = 2; i < 3'000'000; ++i) clock.next();
  CHECK(clock.next() == SimTime{1'000'000'000'000'000});
}

TEST_CASE("Poisson gaps have mean 1 / rate and variation 1") {
  const Moments seen = gaps(*Arrivals::poisson(4 * unit::per_s), n);
  // Four standard errors: mean 0.25 / sqrt(n); the variation of an exponential sample has variance
  // (m4 - 1) / 4n - m3 / n + 1 / n with m3 = 2 and m4 = 9 (delta method), which is 1 / n.
  CHECK(seen.mean == Approx(0.25).margin(4 * 0.25 / std::sqrt(n)));
  CHECK(seen.variation == Approx(1).margin(4 / std::sqrt(n)));
}

TEST_CASE("gamma gaps keep the rate and vary by 1 / sqrt(burstiness)") {
  for (const double shape : {0.25, 0.8, 4.0}) {
    const Moments seen = gaps(*Arrivals::gamma(4 * unit::per_s, shape), n);
    const double cv = 1 / std::sqrt(shape);
    // For a gamma sample the variance of the coefficient of variation is
    // cv^2 (1 + cv^2) / 2n: skewness 2 cv and kurtosis 3 + 6 cv^2 in the delta method.
    CHECK(seen.mean == Approx(0.25).margin(4 * 0.25 * cv / std::sqrt(n)));
    CHECK(seen.variation == Approx(cv).margin(4 * cv * std::sqrt((1 + cv * cv) / 2 / n)));
  }
}

TEST_CASE("all at once and a closed loop enter at 0, only the loop has clients") {
  ArrivalClock burst(1, Arrivals::all_at_once());
  const Arrivals loop = *Arrivals::closed_loop(8);
  ArrivalClock closed(1, loop);
  for (int i = 0; i < 3; ++i) {
    CHECK(burst.next() == SimTime{0});
    CHECK(closed.next() == SimTime{0});
  }
  CHECK_FALSE(Arrivals::all_at_once().clients());
  CHECK(loop.clients() == 8);
}

TEST_CASE("the seed decides the arrivals") {
  const Arrivals poisson = *Arrivals::poisson(1 * unit::per_s);
  ArrivalClock a(5, poisson), same(5, poisson), other(6, poisson);
  for (ArrivalClock* clock : {&a, &same, &other}) clock->next();
  const SimTime second = a.next();
  CHECK(second == same.next());
  CHECK(second != other.next());
}

TEST_CASE("arrivals that cannot be are refused") {
  CHECK(Arrivals::poisson(-1 * unit::per_s).failure().message ==
        "an arrival rate of -1/s is not above 0");
  CHECK_FALSE(Arrivals::constant(0 * unit::per_s));
  CHECK_FALSE(Arrivals::constant(std::nan("") * unit::per_s));
  CHECK(Arrivals::gamma(1 * unit::per_s, 0).failure().message ==
        "a burstiness of 0 is not above 0");
  CHECK(Arrivals::closed_loop(0).failure().message == "0 clients are too few; at least 1");
}
