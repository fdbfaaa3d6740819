#pragma once

#include "gpucap/units/quantity.hpp"

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace gpucap::pricing {

/// A day of the Gregorian calendar, or a month where the day is not known.
struct Date {
  int year = 1970;
  int month = 1;
  std::optional<int> day;

  auto operator<=>(const Date&) const = default;

  /// "2026-08-22" or "2025-12"; nothing for another form or for a day that does not exist.
  static std::optional<Date> parse(std::string_view iso);
  [[nodiscard]] std::string text() const;
};

/// Days from `from` to `to`, negative when `to` is earlier. A month counts from its first day, so
/// that a price without a day is never taken for younger than it may be.
std::int64_t days_between(const Date& from, const Date& to);

/// ISO 8601 instant `since` after the day's midnight UTC, rounded up to a whole second.
std::string utc_instant(const Date& day, Seconds since);

}  // namespace gpucap::pricing
