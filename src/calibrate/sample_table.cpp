#include "gpucap/calibrate/sample_table.hpp"

#include "gpucap/core/file.hpp"
#include "gpucap/core/nearest_name.hpp"
#include "gpucap/units/parse.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace gpucap::calibrate {
namespace {

constexpr std::array all_kinds = {TableKind::gemm,       TableKind::attention, TableKind::mixed,
                                  TableKind::collective, TableKind::layer,     TableKind::sequence};

std::size_t end_of_field(std::string_view line, std::size_t begin) {
  bool quoted = false;
  for (std::size_t i = begin; i < line.size(); ++i) {
    if (line[i] == '"') quoted = !quoted;
    if (line[i] == ',' && !quoted) return i;
  }
  return line.size();
}

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

std::string_view unquoted(std::string_view text) {
  const bool quoted = text.size() >= 2 && text.front() == '"' && text.back() == '"';
  return quoted ? text.substr(1, text.size() - 2) : text;
}

std::string_view without_mark(std::string_view content) {
  constexpr std::string_view mark = "\xEF\xBB\xBF";
  if (content.starts_with(mark)) content.remove_prefix(mark.size());
  return content;
}

}  // namespace

std::string_view name(TableKind kind) {
  switch (kind) {
    case TableKind::gemm:
      return "matrix products";
    case TableKind::attention:
      return "attention launches";
    case TableKind::mixed:
      return "launches of chunks and decodes together";
    case TableKind::collective:
      return "collectives";
    case TableKind::layer:
      return "layers by tokens";
    case TableKind::sequence:
      break;
  }
  return "layers by sequences";
}

const std::vector<std::string>& required_columns(TableKind kind) {
  static const std::map<TableKind, std::vector<std::string>> columns = {
      {TableKind::gemm, {"m", "n", "k", "time_us"}},
      {TableKind::attention,
       {"phase", "batch", "q_len", "kv_len", "heads", "kv_heads", "head_dim", "time_us"}},
      {TableKind::mixed,
       {"prefill_chunk", "kv_prefill", "n_decode", "kv_decode", "heads", "kv_heads", "head_dim",
        "time_us"}},
      {TableKind::collective, {"collective", "ranks", "bytes", "time_us"}},
      {TableKind::layer,
       {"layer", "tokens", "hidden", "ffn", "heads", "kv_heads", "head_dim", "time_us"}},
      {TableKind::sequence, {"layer", "sequences", "time_us"}}};
  return columns.at(kind);
}

SampleTable SampleTable::read(const std::filesystem::path& path,
                              const std::map<std::string, std::string>& stated) {
  SampleTable table = read_plain(path);
  table.stated_.insert(stated.begin(), stated.end());
  table.find_kind();
  return table;
}

SampleTable SampleTable::of_text(std::string file, std::string text) {
  SampleTable table = plain(std::move(file), std::move(text));
  table.find_kind();
  return table;
}

SampleTable SampleTable::read_plain(const std::filesystem::path& path) {
  return plain(path.string(), read_file(path));
}

SampleTable SampleTable::plain(std::string file, std::string text) {
  SampleTable table;
  table.file_ = std::move(file);
  table.content_ = std::make_unique<std::string>(std::move(text));
  table.add_lines();
  if (table.header_.empty()) {
    table.problems_.push_back(
        table.problem("", "", "holds no line that names columns", "empty-table"));
  }
  table.throw_if_problems();
  return table;
}

void SampleTable::add_lines() {
  std::string_view rest = without_mark(*content_);
  for (std::int64_t number = 1; !rest.empty(); ++number) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    std::string_view line = rest.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (!trimmed(line).empty() && !line.starts_with('#')) add_line(line, number);
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
}

void SampleTable::add_line(std::string_view line, std::int64_t number) {
  Row row{number, {}};
  for (std::size_t begin = 0; begin <= line.size();) {
    const std::size_t end = end_of_field(line, begin);
    row.cells.push_back(
        {unquoted(trimmed(line.substr(begin, end - begin))), static_cast<std::int64_t>(begin) + 1});
    begin = end + 1;
  }
  if (header_.empty()) {
    for (const Cell& cell : row.cells) header_.emplace_back(cell.text);
  } else if (row.cells.size() != header_.size()) {
    problems_.push_back(
        problem(fmt::format("{}:1", number), "",
                fmt::format("{} cells, but the header names {}", row.cells.size(), header_.size()),
                "field-count"));
  } else {
    rows_.push_back(std::move(row));
  }
}

void SampleTable::find_kind() {
  const auto missing = [&](TableKind kind) {
    std::vector<std::string> names;
    for (const std::string& column : required_columns(kind)) {
      if (!has(column)) names.push_back(column);
    }
    return names;
  };
  const auto present_share = [&](TableKind kind) {
    const auto all = static_cast<double>(required_columns(kind).size());
    return 1 - static_cast<double>(missing(kind).size()) / all;
  };
  kind_ = *std::max_element(all_kinds.begin(), all_kinds.end(), [&](TableKind a, TableKind b) {
    return present_share(a) < present_share(b);
  });
  for (const std::string& column : missing(kind_)) {
    const auto near = nearest_name(column, header_);
    const std::string hint = near ? fmt::format("is it the one called \"{}\"?", *near)
                                  : fmt::format("the header is {}", fmt::join(header_, ","));
    problems_.push_back(problem(
        "", column, fmt::format("column is missing from a table of {}; {}", name(kind_), hint),
        "missing-column"));
  }
  throw_if_problems();
}

std::optional<std::size_t> SampleTable::index(std::string_view column) const {
  const auto found = std::find(header_.begin(), header_.end(), column);
  if (found == header_.end()) return std::nullopt;
  return static_cast<std::size_t>(found - header_.begin());
}

bool SampleTable::has(std::string_view column) const {
  return index(column) || stated_.contains(column);
}

std::string_view SampleTable::text(std::size_t row, std::string_view column) const {
  if (const auto at = index(column)) return rows_[row].cells[*at].text;
  const auto found = stated_.find(column);
  return found == stated_.end() ? std::string_view{} : std::string_view(found->second);
}

double SampleTable::number(std::size_t row, std::string_view column) {
  const auto value = parse_number(text(row, column));
  if (value) return *value;
  bad_cell(row, column, "a number");
  return 0;
}

std::int64_t SampleTable::count(std::size_t row, std::string_view column) {
  const auto value = parse_count(text(row, column));
  if (value && *value >= 0) return *value;
  bad_cell(row, column, "a whole number");
  return 0;
}

bool SampleTable::matches(std::size_t row, const RowFilter& filter) const {
  return std::all_of(filter.begin(), filter.end(), [&](const auto& entry) {
    const auto& [column, values] = entry;
    return has(column) &&
           std::find(values.begin(), values.end(), text(row, column)) != values.end();
  });
}

Problem SampleTable::problem(std::string position, std::string column, std::string message,
                             std::string code) const {
  return {file_, std::move(position), std::move(column), std::move(message), std::move(code)};
}

void SampleTable::bad_cell(std::size_t row, std::string_view column, const char* expected) {
  const auto at = index(column);
  const std::string position =
      at ? fmt::format("{}:{}", rows_[row].line, rows_[row].cells[*at].column) : "";
  problems_.push_back(problem(position, std::string(column),
                              fmt::format("\"{}\" is not {}", text(row, column), expected),
                              "not-a-number"));
}

void SampleTable::throw_if_problems() const {
  if (!problems_.empty()) throw InputError(problems_);
}

}  // namespace gpucap::calibrate
