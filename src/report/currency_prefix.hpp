#pragma once

#include "gpucap/units/money.hpp"

#include <optional>
#include <string>

namespace gpucap::report {

/// What names of costs begin with: "cost_eur_", and "cost_" where nothing has a price.
std::string cost_prefix(std::optional<Currency> currency);

}  // namespace gpucap::report
