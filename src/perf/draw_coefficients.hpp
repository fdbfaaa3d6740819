#pragma once

#include "gpucap/perf/coefficient.hpp"
#include "gpucap/perf/draw.hpp"

#include <algorithm>
#include <string>
#include <vector>

namespace gpucap::perf {

/// What this draw adds to each of `quality.parameters`, in their units: jointly normal by their
/// standard errors and correlation. Rounded correlations that no distribution has are mended by
/// leaving out what would be negative variance.
std::vector<double> coefficient_deviations(const FitQuality& quality, const std::string& name,
                                           const Draw& draw);

/// Moves the coefficients of a fit by their deviations, each kept in its range.
template <class Fit>
void draw_coefficients(Fit& fit, const std::vector<Bound<Fit>>& coefficients,
                       const FitOrigin& origin, const std::string& part, const Draw& draw) {
  if (!origin.quality) return;
  const auto& names = origin.quality->parameters;
  const auto deviations = coefficient_deviations(*origin.quality, origin.file + " " + part, draw);
  for (const Bound<Fit>& coefficient : coefficients) {
    const auto found = std::find(names.begin(), names.end(), coefficient.symbol);
    if (found == names.end()) continue;
    const double deviation = deviations[static_cast<std::size_t>(found - names.begin())];
    if (deviation == 0) continue;  // at its bound, or held: the file states no error
    coefficient.put(
        fit, std::clamp(coefficient.get(fit) + deviation, coefficient.low, coefficient.high));
  }
}

}  // namespace gpucap::perf
