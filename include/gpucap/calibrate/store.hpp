#pragma once

#include "gpucap/calibrate/collectives.hpp"
#include "gpucap/calibrate/fit_file.hpp"

#include <string>

namespace gpucap::calibrate {

/// The fit file as catalog/fits reads it: card, the peak and bandwidth that the fractions belong
/// to, the parts with their coefficients, errors and refusals. The same fit gives the same bytes.
std::string fit_json(const FittedFile& file);

/// The file of measured collectives: one set a line, in the plan's order.
std::string collectives_json(const FittedSets& sets);

}  // namespace gpucap::calibrate
