#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace gpucap {

/// ISO 4217 code such as EUR; only well-formed codes can be made.
class Currency {
 public:
  /// Three capital letters, or nothing.
  static std::optional<Currency> parse(std::string_view code);
  [[nodiscard]] std::string code() const { return {letters_, 3}; }
  bool operator==(const Currency&) const = default;
  auto operator<=>(const Currency&) const = default;

 private:
  char letters_[3] = {'X', 'X', 'X'};
};

/// An amount in millionths of a currency unit. Amounts of different currencies never mix:
/// adding them throws std::logic_error.
struct Money {
  std::int64_t micro = 0;
  Currency currency;

  [[nodiscard]] double amount() const { return static_cast<double>(micro) / 1e6; }
  bool operator==(const Money&) const = default;
  Money operator+(const Money& other) const;
};

/// A price for holding something, in millionths of a currency unit per hour.
struct MoneyPerHour {
  std::int64_t micro = 0;
  Currency currency;

  [[nodiscard]] double amount() const { return static_cast<double>(micro) / 1e6; }
  bool operator==(const MoneyPerHour&) const = default;
};

/// Nearest whole micro-unit (half away from zero); throws std::out_of_range when it does not fit.
std::int64_t to_micro(double amount);

}  // namespace gpucap
