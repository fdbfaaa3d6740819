#include "gpucap/core/random.hpp"

#include <cmath>

#include "support/catch.hpp"

using namespace gpucap;

TEST_CASE("a stream depends on seed and name only") {
  RandomStream a(7, "arrivals"), again(7, "arrivals"), other(7, "lengths");
  const auto first = a.bits();
  CHECK(first == again.bits());
  CHECK(first != other.bits());
}

TEST_CASE("sample moments agree with the distributions") {
  RandomStream stream(1, "moments");
  constexpr int n = 200000;
  double exponential = 0, normal2 = 0, gamma = 0, small_gamma = 0;
  for (int i = 0; i < n; ++i) {
    exponential += stream.exponential(2);
    normal2 += std::pow(stream.normal(), 2);
    gamma += stream.gamma(3, 2);
    small_gamma += stream.gamma(0.5, 2);
  }
  // Four standard errors of the mean: 4 * deviation / sqrt(n).
  CHECK(exponential / n == Approx(2).margin(4 * 2 / std::sqrt(n)));
  CHECK(normal2 / n == Approx(1).margin(4 * std::sqrt(2) / std::sqrt(n)));
  CHECK(gamma / n == Approx(6).margin(4 * std::sqrt(12) / std::sqrt(n)));
  CHECK(small_gamma / n == Approx(1).margin(4 * std::sqrt(2) / std::sqrt(n)));
}

TEST_CASE("whole numbers stay within both ends and reach them") {
  RandomStream stream(3, "ints");
  bool low = false, high = false;
  for (int i = 0; i < 1000; ++i) {
    const auto draw = stream.uniform_int(-1, 2);
    REQUIRE((draw >= -1 && draw <= 2));
    low |= draw == -1;
    high |= draw == 2;
  }
  CHECK((low && high));
}
