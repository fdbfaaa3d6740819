#pragma once

#include "gpucap/units/money.hpp"
#include "gpucap/units/quantity.hpp"

#include <optional>
#include <string>

namespace gpucap::pricing {

/// How a provider turns the time that a node is held into billed time; docs/models/cost.md
struct BillingRule {
  Seconds step = 1 * unit::s;           ///< smallest billed time; a started one counts whole
  Seconds minimum;                      ///< billed at least, per node
  std::optional<Money> minimum_charge;  ///< least bill per node, in the price's currency
  std::optional<bool>
      stopped_gpu_billed;              ///< is the GPU rate due while powered off? absent = unknown
  std::optional<std::string> assumed;  ///< why the step is an assumption
  std::string source;
};

/// max(minimum, ceil(held / step) step), exact in nanoseconds. Throws std::invalid_argument for a
/// negative time or a step that is not positive.
Seconds billed_time(const BillingRule& rule, Seconds held);

/// The bill of one node: billed time at the price, at least the minimum charge. Integer arithmetic,
/// rounded once to the nearest micro-unit. Throws std::invalid_argument as above and for a minimum
/// charge in another currency, std::out_of_range for a bill beyond 9.2e12 currency units.
Money bill(const BillingRule& rule, MoneyPerHour price, Seconds held);

/// What `bill` adds to billed time x price because of the minimum charge; zero in most cases.
Money top_up(const BillingRule& rule, MoneyPerHour price, Seconds held);

}  // namespace gpucap::pricing
