#pragma once

#include "gpucap/pricing/fx_table.hpp"
#include "gpucap/pricing/offer.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace gpucap::account {

/// What a node costs and how it is billed: from an offer, or given by the user.
struct Price {
  MoneyPerHour per_hour;  ///< of the whole node
  pricing::BillingRule billing;
  std::string offer;  ///< dated id, or "price given"
  std::string provider, region, sku;
  pricing::Term term = pricing::Term::on_demand;
  std::vector<std::string> notes;  ///< flags of the offer
};
Price price_of(const pricing::Offer& offer);
/// A price without an offer is billed by the second, without a minimum, and says so.
Price price_given(MoneyPerHour per_hour);

/// What was done with one rented node.
struct RentedWork {
  Seconds held;  ///< from start to release, warm-up and drain included
  Seconds busy;  ///< of that, time in which work ran
  std::int64_t requests_finished = 0;
  std::int64_t input_tokens = 0;   ///< of finished requests
  std::int64_t output_tokens = 0;  ///< of finished requests
};

/// Absent = does not exist: no price, or nothing to divide by. Never zero in its place.
struct CostSummary {
  std::optional<Currency> currency;
  std::optional<double> per_hour, run, per_month, per_1000_requests, per_million_input_tokens,
      per_million_output_tokens, per_million_total_tokens, idle_share;
  std::optional<Money> billed;  ///< in the currency of the bill, before conversion
  std::optional<Seconds> billed_time;
  std::string offer;
  std::vector<std::string> notes;
};

/// Costs of one run in `currency` (absent: that of the price). The whole bill is divided by each
/// of requests, input, output and total tokens. idle_share = 1 - busy / billed time. Without a
/// price every figure is absent and a note says "price unknown". Failure: "missing-fx". Throws
/// std::invalid_argument for hours per month that are not positive, or a bad billing rule.
Parsed<CostSummary> summarize_cost(const RentedWork& work, const std::optional<Price>& price,
                                   std::optional<Currency> currency, const pricing::FxTable& fx,
                                   double hours_per_month = 730);

}  // namespace gpucap::account
