#include "gpucap/calibrate/identify.hpp"

#include <cmath>
#include <vector>

#include "support/catch.hpp"

using gpucap::calibrate::identify;
using gpucap::calibrate::Observations;
using gpucap::calibrate::Prior;

namespace {

// y = 10 a + b x at each x; a and b are factors.
auto line(std::vector<double> xs) {
  return [xs](std::span<const double> f, std::span<double> out) {
    for (std::size_t i = 0; i < xs.size(); ++i) out[i] = std::log(10 * f[0] + f[1] * xs[i]);
  };
}

Observations seen(const std::vector<double>& xs, double a, double b) {
  Observations all;
  std::vector<double> factors{a, b};
  all.log_measured.resize(xs.size());
  line(xs)(factors, all.log_measured);
  all.weight.assign(xs.size(), 1.0);
  for (std::size_t i = 0; i < xs.size(); ++i) all.cluster.push_back(i);
  return all;
}

const std::vector<Prior> priors{{"a", 0.3, 0.1, 10}, {"b", 0.3, 0.1, 10}};

}  // namespace

TEST_CASE("Observations at several places give both numbers of a line back") {
  const std::vector<double> xs{0.1, 1, 10, 100, 1000};
  const auto found = identify(priors, seen(xs, 1.2, 0.8), line(xs));
  REQUIRE(found.identified == std::vector<bool>{true, true});
  // A scatter of 2 % against priors of 30 %: the pull is below a per cent.
  CHECK(found.factors[0] == Approx(1.2).epsilon(0.01));
  CHECK(found.factors[1] == Approx(0.8).epsilon(0.01));
}

TEST_CASE("One place cannot tell a sum's terms apart: the smaller one keeps its value") {
  // At x = 30 the sum is 10 a + 30 b. b moves it three times as much as a.
  const std::vector<double> xs{30};
  const auto found = identify(priors, seen(xs, 1.0, 1.2), line(xs));
  CHECK(found.identified == std::vector<bool>{false, true});
  CHECK(found.factors[0] == 1);
  // 10 + 30 b = 46: b = 1.2.
  CHECK(found.factors[1] == Approx(1.2).epsilon(0.02));
  CHECK(found.deviations[1] < 0.1);
}

TEST_CASE("A number that nothing depends on is not identified and keeps its prior") {
  const auto flat = [](std::span<const double>, std::span<double> out) { out[0] = 0; };
  const auto found = identify({{"a", 0.3, 0.1, 10}}, {{0.5}, {1}, {0}}, flat);
  CHECK(found.identified == std::vector<bool>{false});
  CHECK(found.factors[0] == 1);
  CHECK(found.deviations[0] == Approx(0.3));
}

TEST_CASE("A bound holds: what lies beyond it is not followed") {
  const auto scale = [](std::span<const double> f, std::span<double> out) {
    out[0] = std::log(f[0]);
  };
  const auto found = identify({{"a", 0.3, 0.1, 1.05}}, {{std::log(1.06)}, {1}, {0}}, scale);
  CHECK(found.factors[0] == Approx(1.05));
}

TEST_CASE("Predictions that step by a thousandth do not mislead the slopes") {
  // A schedule that changes: 1 + 0.001 floor(1000 a) / a is within a thousandth of a smooth law.
  const auto stepped = [](std::span<const double> f, std::span<double> out) {
    out[0] = std::log(std::floor(1000 * f[0]) / 1000);
  };
  const auto found = identify({{"a", 0.3, 0.1, 10}}, {{std::log(1.3)}, {1}, {0}}, stepped);
  CHECK(found.factors[0] == Approx(1.3).epsilon(0.01));
}
