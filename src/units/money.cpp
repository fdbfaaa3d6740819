#include "gpucap/units/money.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace gpucap {

std::optional<Currency> Currency::parse(std::string_view code) {
  const auto capital = [](char c) { return c >= 'A' && c <= 'Z'; };
  if (code.size() != 3 || !std::all_of(code.begin(), code.end(), capital)) return std::nullopt;
  Currency currency;
  std::copy(code.begin(), code.end(), currency.letters_);
  return currency;
}

Money Money::operator+(const Money& other) const {
  if (currency != other.currency) throw std::logic_error("amounts of different currencies added");
  return {micro + other.micro, currency};
}

std::int64_t to_micro(double amount) {
  const double micro = std::round(amount * 1e6);
  if (!(std::fabs(micro) < 9.2e18)) throw std::out_of_range("amount of money out of range");
  return static_cast<std::int64_t>(micro);
}

}  // namespace gpucap
