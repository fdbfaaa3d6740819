#include "gpucap/units/parse.hpp"

#include <charconv>
#include <cmath>
#include <span>

#include <fmt/format.h>

namespace gpucap {
namespace {

template <class Q>
struct UnitName {
  std::string_view name;
  Q unit;
};

struct NumberAndUnit {
  double number;
  std::string_view unit;
};

std::string_view trimmed(std::string_view text) {
  const auto blank = [](char c) { return c == ' ' || c == '\t'; };
  while (!text.empty() && blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && blank(text.back())) text.remove_suffix(1);
  return text;
}

Parsed<NumberAndUnit> split(std::string_view text) {
  const std::string_view body = trimmed(text);
  double number = 0;
  const auto [end, fault] = std::from_chars(body.data(), body.data() + body.size(), number);
  if (fault != std::errc{} || !std::isfinite(number)) {
    return ParseFailure{fmt::format("\"{}\" is not a number", text), "not-a-number"};
  }
  const auto used = static_cast<std::size_t>(end - body.data());
  return NumberAndUnit{number, trimmed(body.substr(used))};
}

template <class Q>
std::string names_of(std::span<const UnitName<Q>> units) {
  std::string names;
  for (const auto& u : units) names += (names.empty() ? "" : ", ") + std::string(u.name);
  return names;
}

/// What may have been meant: the units that begin like an unknown one ("G": GB or GiB), or all.
template <class Q>
std::string help_for(std::span<const UnitName<Q>> units, std::string_view unknown) {
  std::string close;
  for (const auto& u : units) {
    if (!u.name.starts_with(unknown)) continue;
    close += (close.empty() ? "" : " or ") + std::string(u.name);
  }
  return close.empty() ? "one of: " + names_of(units) : "write " + close;
}

/// Text -> quantity by a table of unit names; `example` is shown when the unit is missing.
template <class Q>
Parsed<Q> parse_by(std::span<const UnitName<Q>> units, std::string_view text,
                   std::string_view example) {
  const auto parts = split(text);
  if (!parts) return parts.failure();
  if ((*parts).unit.empty()) {
    return ParseFailure{fmt::format("\"{}\" has no unit; write for example \"{}\"", text, example),
                        "missing-unit"};
  }
  for (const auto& u : units) {
    if (u.name == (*parts).unit) return (*parts).number * u.unit;
  }
  return ParseFailure{
      fmt::format("unknown unit \"{}\"; {}", (*parts).unit, help_for<Q>(units, (*parts).unit)),
      "unknown-unit"};
}

constexpr UnitName<Bytes> byte_units[] = {
    {"B", unit::byte},  {"kB", unit::kB},   {"MB", unit::MB},   {"GB", unit::GB},  {"TB", unit::TB},
    {"KiB", unit::KiB}, {"MiB", unit::MiB}, {"GiB", unit::GiB}, {"TiB", unit::TiB}};
constexpr UnitName<Seconds> time_units[] = {
    {"ns", unit::ns},      {"us", unit::us},  {"ms", unit::ms}, {"s", unit::s},
    {"min", unit::minute}, {"h", unit::hour}, {"d", unit::day}};
constexpr UnitName<Frequency> rate_units[] = {
    {"/s", unit::per_s}, {"/min", unit::per_s / 60}, {"/h", unit::per_s / 3600}};
constexpr UnitName<Bandwidth> bandwidth_units[] = {{"GB/s", unit::GB_per_s},
                                                   {"GiB/s", unit::GiB / unit::s},
                                                   {"MB/s", unit::MB / unit::s},
                                                   {"Gbit/s", 0.125 * unit::GB_per_s}};
constexpr UnitName<FlopRate> flop_rate_units[] = {{"TFLOP/s", unit::TFLOP_per_s},
                                                  {"GFLOP/s", 1e-3 * unit::TFLOP_per_s},
                                                  {"PFLOP/s", 1e3 * unit::TFLOP_per_s}};
constexpr UnitName<Watts> power_units[] = {{"W", unit::W}, {"kW", unit::kW}};

// Micro-units of it still fit into 64 bits.
constexpr double largest_amount = 1e12;

struct AmountAndCurrency {
  double amount;
  Currency currency;
};

Parsed<AmountAndCurrency> amount_of(std::string_view text, std::string_view suffix) {
  const auto parts = split(text);
  if (!parts) return parts.failure();
  std::string_view unit_text = (*parts).unit;
  if (!unit_text.ends_with(suffix)) {
    return ParseFailure{
        fmt::format("\"{}\" is not an amount; write for example \"1.20 EUR{}\"", text, suffix),
        "unknown-unit"};
  }
  unit_text.remove_suffix(suffix.size());
  const auto currency = Currency::parse(trimmed(unit_text));
  if (!currency) {
    return ParseFailure{
        fmt::format("\"{}\" has no currency; write for example \"1.20 EUR{}\"", text, suffix),
        "missing-currency"};
  }
  if (std::fabs((*parts).number) > largest_amount) {
    return ParseFailure{fmt::format("\"{}\" is more than any price", text), "out-of-range"};
  }
  return AmountAndCurrency{(*parts).number, *currency};
}

}  // namespace

Parsed<Bytes> parse_bytes(std::string_view text) {
  return parse_by<Bytes>(byte_units, text, "80 GiB");
}
Parsed<Seconds> parse_duration(std::string_view text) {
  return parse_by<Seconds>(time_units, text, "100 ms");
}
Parsed<Frequency> parse_rate(std::string_view text) {
  return parse_by<Frequency>(rate_units, text, "3/s");
}
Parsed<Bandwidth> parse_bandwidth(std::string_view text) {
  return parse_by<Bandwidth>(bandwidth_units, text, "64 GB/s");
}
Parsed<FlopRate> parse_flop_rate(std::string_view text) {
  return parse_by<FlopRate>(flop_rate_units, text, "312 TFLOP/s");
}
Parsed<Watts> parse_power(std::string_view text) {
  return parse_by<Watts>(power_units, text, "450 W");
}

Parsed<Money> parse_money(std::string_view text) {
  const auto amount = amount_of(text, "");
  if (!amount) return amount.failure();
  return Money{to_micro((*amount).amount), (*amount).currency};
}

Parsed<MoneyPerHour> parse_price(std::string_view text) {
  const auto amount = amount_of(text, "/h");
  if (!amount) return amount.failure();
  return MoneyPerHour{to_micro((*amount).amount), (*amount).currency};
}

Parsed<double> parse_number(std::string_view text) {
  const auto parts = split(text);
  if (!parts) return parts.failure();
  if (!(*parts).unit.empty()) {
    return ParseFailure{fmt::format("\"{}\" is not a plain number", text), "not-a-number"};
  }
  return (*parts).number;
}

Parsed<std::int64_t> parse_count(std::string_view text) {
  const std::string_view body = trimmed(text);
  std::int64_t count = 0;
  const auto [end, fault] = std::from_chars(body.data(), body.data() + body.size(), count);
  if (fault != std::errc{} || end != body.data() + body.size()) {
    return ParseFailure{fmt::format("\"{}\" is not a whole number", text), "not-a-count"};
  }
  return count;
}

}  // namespace gpucap
