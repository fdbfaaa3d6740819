#include "csv_file.hpp"

#include "gpucap/core/file.hpp"
#include "gpucap/core/nearest_name.hpp"
#include "gpucap/units/parse.hpp"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

namespace gpucap::validate {
namespace {

/// Cells of one record; quotes are taken off and doubled ones become single.
std::vector<std::string> split(std::string_view line) {
  std::vector<std::string> cells(1);
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (quoted && c == '"' && i + 1 < line.size() && line[i + 1] == '"') {
      cells.back() += '"';
      ++i;
    } else if (c == '"') {
      quoted = !quoted;
    } else if (c == ',' && !quoted) {
      cells.emplace_back();
    } else {
      cells.back() += c;
    }
  }
  return cells;
}

struct Lines {
  std::string_view rest;
  std::size_t number = 0;

  bool next(std::string_view& line) {
    if (rest.empty()) return false;
    const auto end = std::min(rest.find('\n'), rest.size());
    line = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    ++number;
    return true;
  }
};

Problem at(const std::string& file, std::size_t line, std::string column, std::string message,
           std::string code) {
  return {file, fmt::format("{}:1", line), std::move(column), std::move(message), std::move(code)};
}

void check_columns(const std::string& file, std::size_t line, const std::vector<std::string>& names,
                   const std::vector<std::string>& needed) {
  std::vector<Problem> problems;
  for (const std::string& column : needed) {
    if (std::find(names.begin(), names.end(), column) != names.end()) continue;
    problems.push_back(at(file, line, column, "the table has no such column", "missing-column"));
  }
  if (!problems.empty()) throw InputError(std::move(problems));
}

}  // namespace

const std::string& CsvCells::text(const std::string& column) const {
  static const std::string nothing;
  const auto found = std::find(names_->begin(), names_->end(), column);
  return found == names_->end() ? nothing
                                : cells_[static_cast<std::size_t>(found - names_->begin())];
}

std::optional<double> CsvCells::number(const std::string& column) const {
  const std::string& written = text(column);
  if (written.empty()) return std::nullopt;
  const auto parsed = parse_number(written);
  if (!parsed) throw fault(column, parsed.failure().message, parsed.failure().code);
  return *parsed;
}

double CsvCells::needed(const std::string& column) const {
  const auto value = number(column);
  if (!value) throw fault(column, "is empty", "missing-value");
  return *value;
}

InputError CsvCells::fault(const std::string& column, std::string message, std::string code) const {
  return InputError(at(file_, line_, column, std::move(message), std::move(code)));
}

CsvFile::CsvFile(const std::filesystem::path& path, const std::vector<std::string>& needed) {
  const std::string file = path.string();
  const std::string content = read_file(path);
  Lines lines{content};
  for (std::string_view line; lines.next(line);) {
    if (line.empty() || line.starts_with('#')) continue;
    auto cells = split(line);
    if (names_.empty()) {
      names_ = std::move(cells);
      check_columns(file, lines.number, names_, needed);
    } else if (cells.size() != names_.size()) {
      throw InputError(
          at(file, lines.number, "",
             fmt::format("{} cells where the header has {}", cells.size(), names_.size()),
             "csv-cells"));
    } else {
      rows_.emplace_back(file, lines.number, &names_, std::move(cells));
    }
  }
  if (names_.empty()) throw InputError(Problem{file, "", "", "is empty", "empty-file"});
}

}  // namespace gpucap::validate
