#include "gpucap/pricing/fx_table.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include <fmt/format.h>

namespace gpucap::pricing {

FxTable::FxTable(std::vector<FxRate> rates) : rates_(std::move(rates)) {
  for (const FxRate& rate : rates_) {
    if (!(rate.rate > 0) || !std::isfinite(rate.rate)) {
      throw std::invalid_argument("an exchange rate must be positive and finite");
    }
  }
}

const FxRate* FxTable::pair(Currency one, Currency other) const {
  const auto stated = [&](const FxRate& r) { return r.from == one && r.to == other; };
  const auto inverse = [&](const FxRate& r) { return r.from == other && r.to == one; };
  auto found = std::find_if(rates_.begin(), rates_.end(), stated);
  if (found == rates_.end()) found = std::find_if(rates_.begin(), rates_.end(), inverse);
  return found == rates_.end() ? nullptr : &*found;
}

Parsed<double> FxTable::factor(Currency from, Currency to) const {
  if (from == to) return 1.0;
  const FxRate* rate = pair(from, to);
  if (rate != nullptr) return rate->from == from ? rate->rate : 1 / rate->rate;
  return ParseFailure{
      fmt::format("a price in {0} cannot be shown in {1}; state a {0}/{1} rate with its date and "
                  "source under billing.fx",
                  from.code(), to.code()),
      "missing-fx"};
}

Parsed<Money> FxTable::convert(Money amount, Currency to) const {
  const auto by = factor(amount.currency, to);
  if (!by) return by.failure();
  if (amount.currency == to) return amount;
  return Money{to_micro(amount.amount() * *by), to};
}

Parsed<MoneyPerHour> FxTable::convert(MoneyPerHour price, Currency to) const {
  const auto converted = convert(Money{price.micro, price.currency}, to);
  if (!converted) return converted.failure();
  return MoneyPerHour{(*converted).micro, to};
}

std::optional<std::string> FxTable::note(Currency from, Currency to) const {
  const FxRate* rate = from == to ? nullptr : pair(from, to);
  if (rate == nullptr) return std::nullopt;
  return fmt::format("converted from {}: 1 {} = {} {}, {}, {}", from.code(), rate->from.code(),
                     rate->rate, rate->to.code(), rate->date, rate->source);
}

}  // namespace gpucap::pricing
