#include "gpucap/pricing/billing_rule.hpp"

#include "gpucap/units/sim_time.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>

namespace gpucap::pricing {
namespace {

using Wide = Ticks::Wide;
constexpr Wide ns_per_hour = Wide{3'600} * 1'000'000'000;

std::int64_t billed_ns(const BillingRule& rule, Seconds held) {
  const std::int64_t step = to_sim_time(rule.step).ns;
  const std::int64_t used = to_sim_time(held).ns;
  if (step <= 0) throw std::invalid_argument("a billing step must be positive");
  if (used < 0) throw std::invalid_argument("a node cannot be held for a negative time");
  const std::int64_t steps = used / step + (used % step == 0 ? 0 : 1);
  return std::max(to_sim_time(rule.minimum).ns, steps * step);
}

/// Billed time x price, half a micro-unit rounded up.
Money metered(const BillingRule& rule, MoneyPerHour price, Seconds held) {
  const Wide exact = Wide{price.micro} * billed_ns(rule, held);
  const Wide micro = (exact + ns_per_hour / 2) / ns_per_hour;
  if (micro > std::numeric_limits<std::int64_t>::max()) throw std::out_of_range("bill too large");
  return {static_cast<std::int64_t>(micro), price.currency};
}

}  // namespace

Seconds billed_time(const BillingRule& rule, Seconds held) {
  return static_cast<double>(billed_ns(rule, held)) * unit::ns;
}

Money top_up(const BillingRule& rule, MoneyPerHour price, Seconds held) {
  const Money usage = metered(rule, price, held);
  if (!rule.minimum_charge) return {0, price.currency};
  if (rule.minimum_charge->currency != price.currency) {
    throw std::invalid_argument("the minimum charge is in another currency than the price");
  }
  return {std::max<std::int64_t>(0, rule.minimum_charge->micro - usage.micro), price.currency};
}

Money bill(const BillingRule& rule, MoneyPerHour price, Seconds held) {
  return metered(rule, price, held) + top_up(rule, price, held);
}

}  // namespace gpucap::pricing
