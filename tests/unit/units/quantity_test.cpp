#include "gpucap/units/quantity.hpp"

#include "support/catch.hpp"

using namespace gpucap;

TEST_CASE("reading 80 GB at 2 TB/s takes 40 ms") {
  const Seconds read = 80 * unit::GB / (2 * unit::TB / unit::s);
  CHECK(read.in(unit::ms) == Approx(40));
}

TEST_CASE("GB and GiB differ by 7.4 per cent") {
  CHECK((1 * unit::GiB).in(unit::GB) == Approx(1.073741824));
}

TEST_CASE("450 W for 3 h is 1.35 kWh and 4.86 MJ") {
  const Joules used = 450 * unit::W * (3 * unit::hour);
  CHECK(used.in(unit::kWh) == Approx(1.35));
  CHECK(used.in(unit::J) == Approx(4.86e6));
}

TEST_CASE("a ratio of like quantities is a plain number") {
  const double share = (16 * unit::GB) / (80 * unit::GB);
  CHECK(share == Approx(0.2));
}
