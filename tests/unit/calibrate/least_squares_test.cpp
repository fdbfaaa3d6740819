#include "gpucap/calibrate/least_squares.hpp"

#include <cmath>

#include "support/catch.hpp"

using namespace gpucap::calibrate;

namespace {

/// y = a x^b: ln y is linear in ln a and b.
LogModel power_law(std::vector<double> x) {
  return [x = std::move(x)](std::span<const double> values, std::span<double> out) {
    for (std::size_t i = 0; i < x.size(); ++i) {
      out[i] = std::log(values[0]) + values[1] * std::log(x[i]);
    }
  };
}

Observations seen(const std::vector<double>& y) {
  Observations result;
  for (std::size_t i = 0; i < y.size(); ++i) {
    result.log_measured.push_back(std::log(y[i]));
    result.weight.push_back(1);
    result.cluster.push_back(i);
  }
  return result;
}

const std::vector<double> x = {1, 2, 3, 4, 5, 6, 7, 8};
const std::vector<Unknown> guess = {{1, 1e-3, 1e3}, {1, 0.01, 10}};

}  // namespace

TEST_CASE("exact samples give back the coefficients that made them") {
  std::vector<double> y;
  for (const double at : x) y.push_back(3.5 * std::pow(at, 1.7));
  const Solution found = least_squares(guess, seen(y), power_law(x));
  CHECK(found.values[0] == Approx(3.5).epsilon(1e-7));
  CHECK(found.values[1] == Approx(1.7).epsilon(1e-7));
  CHECK(found.standard_errors[0] < 1e-6);
}

TEST_CASE("one sample ten times too slow does not move the result") {
  std::vector<double> y;
  for (const double at : x) y.push_back(3.5 * std::pow(at, 1.7));
  y[5] *= 10;
  const Solution found = least_squares(guess, seen(y), power_law(x));
  CHECK(found.values[0] == Approx(3.5).epsilon(1e-3));
  CHECK(found.values[1] == Approx(1.7).epsilon(1e-3));
}

TEST_CASE("the covariance of a mean is the sum of squared cluster residuals over n squared") {
  // One unknown, ln y = ln a, residuals small against Huber's bound: logs -0.01, +0.01, -0.02,
  // +0.02 about 0. As four clusters: (0.0001 + 0.0001 + 0.0004 + 0.0004) / 16 x 4/3 = 8.3333e-5,
  // root 0.0091287. In pairs of equal sign each, (0.03^2 + 0.03^2) / 16 x 2 = 2.25e-4, root 0.015.
  const LogModel constant = [](std::span<const double> values, std::span<double> out) {
    for (double& at : out) at = std::log(values[0]);
  };
  Observations four = seen({std::exp(-0.01), std::exp(0.01), std::exp(-0.02), std::exp(0.02)});
  const Solution alone = least_squares({{2, 0.1, 10}}, four, constant);
  CHECK(alone.values[0] == Approx(1).epsilon(1e-9));
  CHECK(alone.standard_errors[0] == Approx(0.0091287).epsilon(1e-4));
  four.cluster = {0, 1, 0, 1};
  const Solution paired = least_squares({{2, 0.1, 10}}, four, constant);
  CHECK(paired.standard_errors[0] == Approx(0.015).epsilon(1e-4));
}

TEST_CASE("a straight line through five logs has the correlation of its design") {
  // ln y = c + b u with u = 0..4 and residuals +d, -d, 0, -d, +d (orthogonal to 1 and u up to the
  // sum, which is 0; and to u: 0 - 1 - 3 + 4 = 0). Sandwich: M = sum r^2 (1,u)(1,u)' over u = 0, 1,
  // 3, 4 = d^2 [[4, 8], [8, 26]]; bread inverse of [[5, 10], [10, 30]] = [[0.6, -0.2], [-0.2,
  // 0.1]]. B M B / d^2: B M = [[0.8, -0.4], [0, 1]], times B = [[0.56, -0.2], [-0.2, 0.1]].
  // Correlation -0.2 / sqrt(0.056) = -0.84515. Unknowns are a = exp(c) and g = exp(b) with
  // ln y = ln a + u ln g.
  const double d = 0.01;
  const std::vector<double> residual = {d, -d, 0, -d, d};
  Observations line;
  for (std::size_t i = 0; i < 5; ++i) {
    line.log_measured.push_back(0.5 + 0.2 * static_cast<double>(i) + residual[i]);
    line.weight.push_back(1);
    line.cluster.push_back(i);
  }
  const LogModel straight = [](std::span<const double> values, std::span<double> out) {
    for (std::size_t i = 0; i < out.size(); ++i) {
      out[i] = std::log(values[0]) + static_cast<double>(i) * std::log(values[1]);
    }
  };
  const Solution found = least_squares({{1, 0.01, 100}, {1, 0.01, 100}}, line, straight);
  CHECK(std::log(found.values[0]) == Approx(0.5).epsilon(1e-6));
  CHECK(std::log(found.values[1]) == Approx(0.2).epsilon(1e-6));
  REQUIRE(found.correlation.size() == 1);
  CHECK(found.correlation[0] == Approx(-0.84515).epsilon(1e-3));
  // Five clusters: times 5/4. Variance of ln a 0.56 d^2 x 1.25 = 7.0e-5.
  CHECK(found.standard_errors[0] / found.values[0] == Approx(std::sqrt(7.0e-5)).epsilon(1e-3));
}

TEST_CASE("a bound holds and has no standard error") {
  // The mean of the logs asks for 5; at most 2 is allowed.
  const LogModel constant = [](std::span<const double> values, std::span<double> out) {
    for (double& at : out) at = std::log(values[0]);
  };
  const Solution found = least_squares({{1, 0.5, 2}}, seen({5, 5.1, 4.9}), constant);
  CHECK(found.values[0] == Approx(2));
  CHECK(found.at_bound[0]);
  CHECK(found.standard_errors[0] == 0);
}

TEST_CASE("an unknown that no sample depends on is told apart") {
  const LogModel first_only = [](std::span<const double> values, std::span<double> out) {
    for (double& at : out) at = std::log(values[0]);
  };
  CHECK(depends({{1, 0.1, 10}, {1, 0.1, 10}}, 3, first_only) == std::vector<bool>{true, false});
}
