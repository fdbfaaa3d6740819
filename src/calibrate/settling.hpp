#pragma once

#include "gpucap/calibrate/fit.hpp"

#include <cstddef>
#include <vector>

namespace gpucap::calibrate {

/// The coefficients of a part while it is fitted, in the form's order.
struct Settling {
  std::vector<FittedCoefficient> coefficients;
  std::vector<bool> settled;  ///< has its final value; no search changes it

  /// Indices of those that are still sought.
  [[nodiscard]] std::vector<std::size_t> open() const;
};

/// Gives held, absent and prior coefficients their values and the others their start. Throws
/// InputError: a plan that names no coefficient of the form, a held value that does not read, a
/// prior that neither the plan nor the calibration in force states.
Settling settle(const Form& form, const PartPlan& plan);

/// A held value or bound of a plan, in the coefficient's unit. Throws InputError.
double stated_value(const std::string& part, const Coefficient& coefficient, const Hold& hold);

}  // namespace gpucap::calibrate
