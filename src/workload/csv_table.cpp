#include "csv_table.hpp"

#include "gpucap/core/nearest_name.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace gpucap::workload {

CsvTable::CsvTable(LineReader lines, char separator)
    : lines_(std::move(lines)), separator_(separator) {
  if (!lines_.next()) {
    throw InputError(
        lines_.problem({1, 1}, "", "the file is empty; a header line is expected", "empty-trace"));
  }
  split();
  for (const CsvField& field : fields_) names_.emplace_back(field.text);
}

std::optional<std::size_t> CsvTable::column(std::string_view name, bool optional) {
  const auto found = std::find(names_.begin(), names_.end(), name);
  if (found == names_.end()) {
    if (optional) return std::nullopt;
    const auto near = nearest_name(name, names_);
    const std::string hint = near ? fmt::format("is it the one called \"{}\"?", excerpt(*near))
                                  : fmt::format("the header is: {}", excerpt(lines_.line()));
    header_problems_.push_back(
        lines_.problem({lines_.number(), 1}, name, "column is missing; " + hint, "missing-column"));
    return std::nullopt;
  }
  const auto index = static_cast<std::size_t>(found - names_.begin());
  if (std::find(found + 1, names_.end(), name) != names_.end()) {
    header_problems_.push_back(lines_.problem({lines_.number(), fields_[index].column}, name,
                                              "column occurs twice", "duplicate-column"));
  }
  return index;
}

void CsvTable::finish_header() const {
  if (!header_problems_.empty()) throw InputError(header_problems_);
}

void CsvTable::split() {
  if (separator_ == ',') {
    split_csv(lines_.line(), fields_);
  } else {
    split_plain(lines_.line(), separator_, fields_);
  }
}

bool CsvTable::next(std::optional<Problem>& fault) {
  fault.reset();
  if (!lines_.next()) return false;
  split();
  if (fields_.size() == names_.size()) return true;
  const char* const cause = fields_.size() < names_.size() ? "; is the line cut short?" : "";
  fault = lines_.problem(
      {lines_.number(), 1}, "",
      fmt::format("{} fields, but the header names {}{}", fields_.size(), names_.size(), cause),
      "field-count");
  return true;
}

bool CsvTable::next() {
  std::optional<Problem> fault;
  const bool more = next(fault);
  if (fault) throw InputError(*fault);
  return more;
}

Problem CsvTable::problem(std::size_t column, std::string message, std::string code) const {
  return lines_.problem(place(column), names_[column], std::move(message), std::move(code));
}

}  // namespace gpucap::workload
