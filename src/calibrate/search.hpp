#pragma once

#include <cstdint>
#include <vector>

#include "launches.hpp"
#include "settling.hpp"

namespace gpucap::calibrate {

/// What the last search says beside the coefficients that it settled.
struct SearchResult {
  std::vector<double> correlation;  ///< of the coefficients that it found, below the diagonal
  std::int64_t points = 0;          ///< launches that it was shown
};

/// Finds the coefficients that are still open: first those that want all launches, then the others
/// on launches by the cold rule. What no launch depends on keeps the value in force. Throws
/// InputError: too few launches to fit or to judge by, a coefficient that nothing determines.
SearchResult search(const Form& form, const PartPlan& plan, const ColdRule& cold,
                    const ScreenedLaunches& launches, Settling& settling);

}  // namespace gpucap::calibrate
