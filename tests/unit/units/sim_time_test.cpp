#include "gpucap/units/sim_time.hpp"

#include "support/catch.hpp"

using namespace gpucap;

TEST_CASE("n equal steps added one by one equal n times one step, exactly") {
  const Ticks step = to_ticks(0.0251234567 * unit::s);
  Ticks sum;
  for (int i = 0; i < 100000; ++i) sum += step;
  CHECK(sum == step * 100000);
}

TEST_CASE("an exact time is shown rounded up to the nanosecond") {
  CHECK(shown(to_ticks(SimTime{5})).ns == 5);
  CHECK(shown(to_ticks(SimTime{5}) + Ticks{1}).ns == 6);
}

TEST_CASE(
    "a real number becomes the nearest whole one, halves the even one, in 64 bits and beyond") {
  CHECK(nearest_whole(0.5) == 0);
  CHECK(nearest_whole(1.5) == 2);
  CHECK(nearest_whole(-2.5) == -2);
  CHECK(nearest_whole(4503599627370495.5) == 4503599627370496);  // just below 2^52
  CHECK(nearest_whole(0x1p70) == Ticks::Wide{1} << 70);
  CHECK(nearest_whole(-0x1p63) == -(Ticks::Wide{1} << 63));
}

TEST_CASE("a duration that is not finite is refused, not wrapped") {
  CHECK_THROWS_AS(to_ticks(Seconds::from_base(1e300)), std::out_of_range);
  CHECK_THROWS_AS(to_sim_time(1e12 * unit::s), std::out_of_range);
}
