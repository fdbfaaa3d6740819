#pragma once

#include "gpucap/account/cost.hpp"
#include "gpucap/pricing/date.hpp"

#include <optional>
#include <string>
#include <vector>

namespace gpucap::account {

/// One line of a bill, with the columns of FOCUS 1.2 (BilledCost -> billed_cost, ...). Amounts are
/// in the currency in which the provider bills. Every line is simulated (`x_Simulated`).
struct LedgerLine {
  Money billed_cost;
  Money effective_cost;
  std::optional<Money> list_cost;  ///< absent where the public on-demand price is not known
  Money contracted_cost;
  std::string charge_category = "Usage";
  std::string charge_description;
  std::string charge_period_start, charge_period_end;  ///< ISO 8601 UTC
  std::optional<double> pricing_quantity;              ///< billed hours
  std::string pricing_unit;
  std::optional<double> consumed_quantity;  ///< hours held
  std::string consumed_unit;
  std::optional<MoneyPerHour> list_unit_price;
  std::string provider_name, region_id, service_name, sku_id, resource_id;
  std::string x_candidate;
};

/// The bill of one node held from midnight UTC of `start`: a line for its hours and, where the
/// minimum charge exceeds them, one for the rest. The lines add up to pricing::bill exactly.
std::vector<LedgerLine> ledger_of(const Price& price, Seconds held, const pricing::Date& start,
                                  const std::string& candidate);

}  // namespace gpucap::account
