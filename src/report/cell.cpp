#include "gpucap/report/cell.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace gpucap::report {
namespace {

/// Fixed notation with `significant` digits, but never fewer or more decimals than given.
std::string fixed(double value, int significant, int min_decimals, int max_decimals = 9) {
  if (value == 0) return fmt::format("{:.{}f}", 0.0, min_decimals);
  const int magnitude = static_cast<int>(std::floor(std::log10(std::fabs(value))));
  const int decimals = std::clamp(significant - 1 - magnitude, min_decimals, max_decimals);
  return fmt::format("{:.{}f}", value, decimals);
}

/// Commas between thousands, for people only.
std::string grouped(std::string digits) {
  const std::size_t point = std::min(digits.find('.'), digits.size());
  const std::size_t first = digits.starts_with('-') ? 1 : 0;
  for (std::size_t at = point; at > first + 3;) digits.insert(at -= 3, ",");
  return digits;
}

/// Two decimals where they suffice, two significant digits below a tenth.
std::string readable(double value) {
  return std::fabs(value) < 0.1 ? fixed(value, 2, 0) : fixed(value, 3, 0, 2);
}

std::string percent(double share) {
  if (share > 0 && share < 0.005) return "<1 %";
  return fmt::format("{:.0f} %", share * 100);
}

std::string shown_number(double value, Shown style) {
  switch (style) {
    case Shown::seconds:
      return grouped(readable(value)) + " s";
    case Shown::milliseconds:
      return grouped(fixed(value * 1e3, 2, 0)) + " ms";
    case Shown::hours:
      return grouped(readable(value / 3600)) + " h";
    case Shown::days:
      return grouped(readable(value / 86400)) + " d";
    case Shown::money:
      return grouped(fixed(value, 2, 2));
    case Shown::percent:
      return percent(value);
    case Shown::count:
      return grouped(fmt::format("{:.0f}", value));
    case Shown::exact:
      return fmt::format("{:.6g}", value);
    default:
      return grouped(readable(value));
  }
}

}  // namespace

Cell number_cell(std::optional<double> value) {
  if (!value || !std::isfinite(*value)) return {};
  return *value;
}

Cell flag_cell(std::optional<bool> value) {
  if (!value) return {};
  return std::string(*value ? "true" : "false");
}

Cell text_cell(std::string text) {
  if (text.empty()) return {};
  return text;
}

std::string shown(const Cell& cell, Shown style) {
  if (const auto* text = std::get_if<std::string>(&cell)) {
    if (style != Shown::yes_no) return *text;
    return *text == "true" ? "yes" : "NO";
  }
  if (const auto* count = std::get_if<std::int64_t>(&cell)) {
    const std::string digits = fmt::format("{}", *count);
    return style == Shown::exact ? digits : grouped(digits);
  }
  if (const auto* number = std::get_if<double>(&cell)) return shown_number(*number, style);
  return "-";
}

}  // namespace gpucap::report
