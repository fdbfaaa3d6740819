#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

namespace gpucap::calibrate {

/// A positive number to be found.
struct Unknown {
  double start = 1;
  double low = 0;  ///< above zero: the search runs over the logarithm
  double high = 0;
};

/// Fills in ln(prediction) of every observation for the given numbers.
using LogModel = std::function<void(std::span<const double> values, std::span<double> log_out)>;

/// Observations of positive things: natural logarithm, weight (1 = ordinary) and the cluster of
/// each, in three lists of one length. Errors are taken to be independent between clusters, not
/// within one.
struct Observations {
  std::vector<double> log_measured;
  std::vector<double> weight;
  std::vector<std::size_t> cluster;
};

struct Solution {
  std::vector<double> values;
  std::vector<double> standard_errors;  ///< in the units of the values; 0 at a bound
  std::vector<double> correlation;      ///< of the logarithms, below the diagonal, row by row
  std::vector<bool> at_bound;           ///< the bound decided, not the observations
};

/// Levenberg-Marquardt over the logarithms, on residuals ln(predicted / measured) with Huber's
/// weights: quadratic within 1.345 robust standard deviations, linear beyond. The covariance is the
/// sandwich estimate over clusters. Deterministic. An unknown that no observation depends on keeps
/// its start and gets the standard error 0; see `depends`. No unknowns or no observations: empty.
Solution least_squares(const std::vector<Unknown>& unknowns, const Observations& observations,
                       const LogModel& model);

/// For each unknown: does any prediction change with it, at the start?
std::vector<bool> depends(const std::vector<Unknown>& unknowns, std::size_t observations,
                          const LogModel& model);

}  // namespace gpucap::calibrate
