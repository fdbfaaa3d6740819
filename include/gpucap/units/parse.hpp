#pragma once

#include "gpucap/units/money.hpp"
#include "gpucap/units/quantity.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

namespace gpucap {

/// Why a text is not a quantity: a sentence for the user and a stable code such as "missing-unit".
struct ParseFailure {
  std::string message;
  std::string code;
};

/// A value, or the reason why there is none.
template <class T>
class Parsed {
 public:
  Parsed(T value) : content_(std::move(value)) {}
  Parsed(ParseFailure failure) : content_(std::move(failure)) {}
  explicit operator bool() const { return content_.index() == 0; }
  const T& operator*() const { return std::get<0>(content_); }
  [[nodiscard]] const ParseFailure& failure() const { return std::get<1>(content_); }

 private:
  std::variant<T, ParseFailure> content_;
};

// Text with a unit, e.g. "80 GiB" or "100ms"; a space before the unit is optional, '.' is the
// decimal sign in every locale, a number without unit is a failure that shows a right example.
Parsed<Bytes> parse_bytes(std::string_view text);          ///< B kB MB GB TB KiB MiB GiB TiB
Parsed<Seconds> parse_duration(std::string_view text);     ///< ns us ms s min h d
Parsed<Frequency> parse_rate(std::string_view text);       ///< /s /min /h
Parsed<Bandwidth> parse_bandwidth(std::string_view text);  ///< GB/s GiB/s MB/s Gbit/s
Parsed<FlopRate> parse_flop_rate(std::string_view text);   ///< TFLOP/s GFLOP/s PFLOP/s
Parsed<Watts> parse_power(std::string_view text);          ///< W kW
Parsed<Money> parse_money(std::string_view text);          ///< "0.01 USD"
Parsed<MoneyPerHour> parse_price(
    std::string_view text);                          ///< "1.20 EUR/h", "1500 EUR/month" is refused
Parsed<double> parse_number(std::string_view text);  ///< a plain finite number, no unit
Parsed<std::int64_t> parse_count(std::string_view text);  ///< a whole number, optional sign

}  // namespace gpucap
