#pragma once

#include "gpucap/account/energy.hpp"
#include "gpucap/plan/serving_plan.hpp"
#include "gpucap/pricing/date.hpp"
#include "gpucap/pricing/fx_table.hpp"
#include "gpucap/pricing/offer.hpp"
#include "gpucap/units/money.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace gpucap::scenario {

/// What scenarios of every kind state: names, money, energy, dates.
struct Common {
  std::string name;
  std::uint64_t seed = 0;
  std::optional<Currency> currency;
  pricing::FxTable fx;
  double hours_per_month = 730;
  account::EnergyTerms energy;
  std::optional<pricing::Date> as_of;
  std::map<std::string, std::string> inputs_sha256;
};

/// A node to rent, which every candidate is.
struct Rented {
  std::string name;
  plan::Node node;
  std::vector<std::string> notes;  ///< what choosing the host took for granted
  bool spec_only = false;          ///< ideal kernels at spec-sheet rates instead of fitted ones
  std::optional<pricing::Offer> offer;
  int machines = 1;                   ///< instances of the offer
  std::optional<MoneyPerHour> price;  ///< of the whole node
  std::string pointer;
};

}  // namespace gpucap::scenario
