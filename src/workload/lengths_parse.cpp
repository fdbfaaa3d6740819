#include "gpucap/core/error.hpp"
#include "gpucap/core/nearest_name.hpp"
#include "gpucap/workload/lengths.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>

#include "csv_table.hpp"
#include "trace_row.hpp"
#include <fmt/format.h>

namespace gpucap::workload {
namespace {

constexpr std::string_view examples =
    "write for example 1500, lognormal:mean=1500,p95=2600, uniform:100..200, "
    "exponential:mean=201,max=900 or empirical:FILE";

ParseFailure malformed(std::string_view text, std::string_view form) {
  return {fmt::format("\"{}\" is not of the form {}", text, form), "bad-lengths"};
}

/// The numbers of "a=1,b=2" for exactly the keys a and b, in any order.
Parsed<std::array<double, 2>> two_values(std::string_view text,
                                         const std::array<std::string_view, 2>& keys,
                                         std::string_view form) {
  const std::size_t comma = text.find(',');
  if (comma == std::string_view::npos) return malformed(text, form);
  std::array<std::optional<double>, 2> values;
  for (const std::string_view part : {text.substr(0, comma), text.substr(comma + 1)}) {
    const std::size_t equals = part.find('=');
    const auto key = std::find(keys.begin(), keys.end(), part.substr(0, equals));
    if (equals == std::string_view::npos || key == keys.end()) return malformed(text, form);
    const auto number = parse_number(part.substr(equals + 1));
    if (!number) return number.failure();
    values[static_cast<std::size_t>(key - keys.begin())] = *number;
  }
  if (!values[0] || !values[1]) return malformed(text, form);
  return std::array<double, 2>{*values[0], *values[1]};
}

Parsed<LengthDistribution> parse_lognormal(std::string_view text) {
  const auto values = two_values(text, {"mean", "p95"}, "lognormal:mean=1500,p95=2600");
  if (!values) return values.failure();
  return LengthDistribution::lognormal((*values)[0], (*values)[1]);
}

Parsed<LengthDistribution> parse_exponential(std::string_view text) {
  const auto values = two_values(text, {"mean", "max"}, "exponential:mean=201,max=900");
  if (!values) return values.failure();
  const double max = (*values)[1];
  if (max != std::floor(max) || std::abs(max) > 1e15) {
    return ParseFailure{fmt::format("max={} is not a whole number of tokens", max), "not-a-count"};
  }
  return LengthDistribution::exponential((*values)[0], static_cast<std::int64_t>(max));
}

Parsed<LengthDistribution> parse_uniform(std::string_view text) {
  const std::size_t dots = text.find("..");
  if (dots == std::string_view::npos) return malformed(text, "uniform:100..200");
  const auto low = parse_count(text.substr(0, dots));
  const auto high = parse_count(text.substr(dots + 2));
  if (!low) return low.failure();
  if (!high) return high.failure();
  return LengthDistribution::uniform(*low, *high);
}

std::int64_t read_count(std::string_view text, const LineReader& lines, Place place,
                        std::string_view column) {
  const auto count = parse_tokens(text);
  if (!count) {
    throw InputError(lines.problem(place, column, count.failure().message, count.failure().code));
  }
  if (*count >= 1) return *count;
  throw InputError(lines.problem(
      place, column, "a length of 0 tokens cannot be drawn; leave it out", "out-of-range"));
}

std::vector<std::int64_t> read_column(CsvTable& table, std::size_t index) {
  std::vector<std::int64_t> counts;
  while (table.next()) {
    counts.push_back(
        read_count(table.text(index), table.lines(), table.place(index), table.names()[index]));
  }
  return counts;
}

/// The column that is asked for, by name or number; the only one when none is named.
std::size_t chosen_column(CsvTable& table, std::string_view wanted) {
  if (wanted.empty()) {
    if (table.names().size() == 1) return 0;
    throw InputError(table.lines().problem(
        {table.lines().number(), 1}, "",
        fmt::format("has {} columns; name one, for example empirical:{},column={}",
                    table.names().size(), table.lines().file(), excerpt(table.names()[0])),
        "ambiguous-column"));
  }
  const auto number = parse_count(wanted);
  const auto last = static_cast<std::int64_t>(table.names().size());
  if (number && *number >= 1 && *number <= last) return static_cast<std::size_t>(*number - 1);
  const auto index = table.column(wanted);
  table.finish_header();
  return *index;
}

/// A file whose first line is a count already has no header.
std::vector<std::int64_t> read_counts(const std::string& file, std::string_view column) {
  CsvTable table{LineReader(file)};
  const std::size_t index = chosen_column(table, column);
  if (!parse_count(table.names()[index])) return read_column(table, index);
  std::vector<std::int64_t> counts = {
      read_count(table.names()[index], table.lines(), table.place(index), "")};
  const std::vector<std::int64_t> rest = read_column(table, index);
  counts.insert(counts.end(), rest.begin(), rest.end());
  return counts;
}

Parsed<LengthDistribution> parse_empirical(std::string_view text) {
  constexpr std::string_view option = ",column=";
  const std::size_t at = text.rfind(option);
  const std::string file(text.substr(0, at));
  const std::string_view column =
      at == std::string_view::npos ? std::string_view{} : text.substr(at + option.size());
  if (file.empty()) return malformed(text, "empirical:FILE");
  try {
    return LengthDistribution::empirical(read_counts(file, column), file);
  } catch (const InputError& error) {
    Problem first = error.problems().front();
    const std::string code = std::exchange(first.code, "");
    return ParseFailure{first.line(), code};
  }
}

struct Kind {
  std::string_view name;
  Parsed<LengthDistribution> (*parse)(std::string_view);
};
constexpr Kind kinds[] = {{"lognormal", parse_lognormal},
                          {"uniform", parse_uniform},
                          {"exponential", parse_exponential},
                          {"empirical", parse_empirical}};

}  // namespace

Parsed<LengthDistribution> parse_lengths(std::string_view text) {
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos) {
    const auto tokens = parse_count(text);
    if (tokens) return LengthDistribution::constant(*tokens);
    return ParseFailure{fmt::format("\"{}\" is no token count; {}", text, examples), "bad-lengths"};
  }
  std::vector<std::string> known;
  for (const Kind& kind : kinds) {
    if (kind.name == text.substr(0, colon)) return kind.parse(text.substr(colon + 1));
    known.emplace_back(kind.name);
  }
  return ParseFailure{unknown_name("length distribution", text.substr(0, colon), known),
                      "unknown-name"};
}

}  // namespace gpucap::workload
