#include "gpucap/account/cost.hpp"

#include <algorithm>
#include <stdexcept>

#include <fmt/format.h>

namespace gpucap::account {
namespace {

std::optional<double> per(double amount, std::int64_t count, double unit_count) {
  if (count <= 0) return std::nullopt;
  return amount / static_cast<double>(count) * unit_count;
}

std::optional<double> idle_share(const RentedWork& work, Seconds billed) {
  if (!(billed > Seconds{})) return std::nullopt;
  const Seconds rounding = 1 * unit::us;  // billed time is in nanoseconds, busy time is exact
  if (work.busy > billed + rounding) throw std::invalid_argument("busy for longer than billed");
  return std::max(0.0, 1 - work.busy / billed);
}

CostSummary unpriced() {
  CostSummary costs;
  costs.notes.emplace_back("price unknown");
  return costs;
}

void divide(CostSummary& costs, const RentedWork& work, double run) {
  costs.per_1000_requests = per(run, work.requests_finished, 1e3);
  costs.per_million_input_tokens = per(run, work.input_tokens, 1e6);
  costs.per_million_output_tokens = per(run, work.output_tokens, 1e6);
  costs.per_million_total_tokens = per(run, work.input_tokens + work.output_tokens, 1e6);
}

}  // namespace

Price price_of(const pricing::Offer& offer) {
  return {offer.price,  offer.billing, offer.dated_id(), offer.provider_name,
          offer.region, offer.sku,     offer.term,       flags(offer)};
}

Price price_given(MoneyPerHour per_hour) {
  Price price;
  price.per_hour = per_hour;
  price.offer = "price given";
  price.notes.emplace_back("price given: billed by the second, no minimum");
  return price;
}

Parsed<CostSummary> summarize_cost(const RentedWork& work, const std::optional<Price>& price,
                                   std::optional<Currency> currency, const pricing::FxTable& fx,
                                   double hours_per_month) {
  if (!(hours_per_month > 0)) throw std::invalid_argument("hours per month must be positive");
  if (!price) return unpriced();
  const Currency own = price->per_hour.currency;
  const Currency shown = currency.value_or(own);
  const auto per_hour = fx.convert(price->per_hour, shown);
  if (!per_hour) return per_hour.failure();

  CostSummary costs;
  costs.billed = pricing::bill(price->billing, price->per_hour, work.held);
  costs.billed_time = pricing::billed_time(price->billing, work.held);
  const double run = (*fx.convert(*costs.billed, shown)).amount();
  costs.currency = shown;
  costs.per_hour = (*per_hour).amount();
  costs.run = run;
  costs.per_month = (*per_hour).amount() * hours_per_month;
  costs.idle_share = idle_share(work, *costs.billed_time);
  divide(costs, work, run);
  costs.offer = price->offer;
  costs.notes = price->notes;
  costs.notes.push_back(fmt::format("a month is {} h", hours_per_month));
  if (auto note = fx.note(own, shown)) costs.notes.push_back(*std::move(note));
  return costs;
}

}  // namespace gpucap::account
