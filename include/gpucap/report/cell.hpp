#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>

namespace gpucap::report {

/// One value of a report: nothing, a text, a count or a real number. A text that looks like a
/// number stays a text in every format.
using Cell = std::variant<std::monostate, std::string, std::int64_t, double>;

/// Nothing when absent or not finite, so that no writer ever meets a NaN.
Cell number_cell(std::optional<double> value);
/// "true", "false" or nothing.
Cell flag_cell(std::optional<bool> value);
/// Nothing when empty.
Cell text_cell(std::string text);

/// How a cell looks in a table for people; files keep the full number.
enum class Shown {
  text,
  yes_no,
  exact,  ///< six significant digits, for cells whose unit stands in their name
  count,
  plain,  ///< three significant digits
  seconds,
  milliseconds,
  hours,  ///< of a number of seconds
  days,   ///< of a number of seconds
  money,
  percent
};

/// Rounded for reading, with its unit: 0.0312 as milliseconds is "31 ms"; nothing is "-".
std::string shown(const Cell& cell, Shown style);

/// Are its values numbers, to be aligned right?
constexpr bool is_numeric(Shown style) {
  return style != Shown::text && style != Shown::yes_no;
}

}  // namespace gpucap::report
