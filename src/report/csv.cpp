#include "gpucap/report/listing.hpp"
#include "gpucap/report/text.hpp"

#include <fmt/format.h>

namespace gpucap::report {
namespace {

/// OWASP "CSV injection": spreadsheets evaluate a cell by its first character.
std::string neutralised(std::string text) {
  constexpr std::string_view formula_starts = "=+-@\t\r\n";
  const bool formula = !text.empty() && formula_starts.find(text.front()) != std::string_view::npos;
  return formula ? "'" + text : text;
}

std::string quoted(const std::string& text) {
  if (text.find_first_of(",;\"\r\n") == std::string::npos) return text;
  std::string out = "\"";
  for (const char c : text) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + "\"";
}

}  // namespace

std::string csv_field(const Cell& cell) {
  if (const auto* text = std::get_if<std::string>(&cell)) {
    return quoted(neutralised(valid_utf8(*text)));
  }
  if (const auto* count = std::get_if<std::int64_t>(&cell)) return fmt::format("{}", *count);
  const Cell number =
      std::holds_alternative<double>(cell) ? number_cell(std::get<double>(cell)) : cell;
  const auto* finite = std::get_if<double>(&number);
  return finite == nullptr ? "" : fmt::format("{}", *finite);
}

std::string to_csv(const Listing& listing) {
  std::string out;
  for (std::size_t i = 0; i < listing.fields.size(); ++i) {
    out += (i == 0 ? "" : ",") + quoted(listing.fields[i].name);
  }
  out += "\r\n";
  for (const auto& row : listing.rows) {
    for (std::size_t i = 0; i < row.size(); ++i) out += (i == 0 ? "" : ",") + csv_field(row[i]);
    out += "\r\n";
  }
  return out;
}

}  // namespace gpucap::report
