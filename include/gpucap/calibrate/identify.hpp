#pragma once

#include "gpucap/calibrate/least_squares.hpp"

#include <functional>
#include <span>
#include <string>
#include <vector>

namespace gpucap::calibrate {

/// A number that is known already, if roughly: it is sought as a factor on the value in force.
struct Prior {
  std::string name;
  double deviation = 0;      ///< of ln(factor); what is known before the observations
  double low = 0, high = 0;  ///< of the factor, above zero
};

/// What observations say of such numbers.
struct Identified {
  std::vector<double> factors;     ///< 1 where not identified
  std::vector<double> deviations;  ///< of ln(factor), given prior and observations
  std::vector<bool> identified;
  double scatter = 0;  ///< deviation of ln(predicted / observed) that was found
};

/// Predictions may step where a schedule changes, so slopes are taken over a quarter of the prior's
/// deviation, and least_squares runs on the straight line through them, again and again. The prior
/// of each number is one more observation. A number whose deviation stays above 0.7 of the prior's
/// is not identified: it keeps the factor 1 and the rest is sought again without it, the worst
/// first. Deviations rest on the scatter of the residuals, at least 2 %: runs repeat no better, and
/// the model repeats none exactly.
Identified identify(const std::vector<Prior>& priors, const Observations& observations,
                    const LogModel& model);

}  // namespace gpucap::calibrate
