#pragma once

#include "gpucap/units/money.hpp"
#include "gpucap/units/parse.hpp"

#include <optional>
#include <string>
#include <vector>

namespace gpucap::pricing {

/// One unit of `from` is worth `rate` units of `to`, read on `date` from `source`.
struct FxRate {
  Currency from, to;
  double rate = 1;
  std::string date;
  std::string source;
};

/// Dated exchange rates that a user states; none is built in. A pair serves both directions, pairs
/// are never chained.
class FxTable {
 public:
  FxTable() = default;
  /// Throws std::invalid_argument unless every rate is positive and finite.
  explicit FxTable(std::vector<FxRate> rates);

  /// Nearest micro-unit. A missing pair is a failure "missing-fx" that says what to state.
  [[nodiscard]] Parsed<Money> convert(Money amount, Currency to) const;
  [[nodiscard]] Parsed<MoneyPerHour> convert(MoneyPerHour price, Currency to) const;

  /// "converted from USD: 1 EUR = 1.0411 USD, 2025-02-28, ECB"; nothing within one currency or
  /// for a missing pair.
  [[nodiscard]] std::optional<std::string> note(Currency from, Currency to) const;

 private:
  [[nodiscard]] Parsed<double> factor(Currency from, Currency to) const;
  [[nodiscard]] const FxRate* pair(Currency one, Currency other) const;
  std::vector<FxRate> rates_;
};

}  // namespace gpucap::pricing
