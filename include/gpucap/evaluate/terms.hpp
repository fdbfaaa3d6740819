#pragma once

#include "gpucap/account/cost.hpp"
#include "gpucap/account/energy.hpp"

#include <optional>

namespace gpucap::evaluate {

/// Prices and factors that act on the recorded work only.
struct Terms {
  std::optional<account::Price> price;
  std::optional<Currency> currency;  ///< of the comparison; absent: that of the price
  pricing::FxTable fx;
  double hours_per_month = 730;
  account::EnergyTerms energy;
};

}  // namespace gpucap::evaluate
