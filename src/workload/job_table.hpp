#pragma once

#include "gpucap/units/parse.hpp"

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "csv_table.hpp"
#include "job_collector.hpp"

namespace gpucap::workload {

/// A column that may be absent.
using JobColumn = std::optional<std::size_t>;

/// A table of jobs with a header line. What is wrong with a cell is noted and reading goes on, so
/// that a user learns of all faults at once.
class JobTable {
 public:
  /// InputError for files without a header.
  explicit JobTable(const std::filesystem::path& path, char separator = ',');

  /// A column that must be there, see finish_header().
  JobColumn required(std::string_view name) { return table_.column(name); }
  JobColumn optional(std::string_view name) { return table_.column(name, true); }
  [[nodiscard]] const std::vector<std::string>& names() const { return table_.names(); }
  /// InputError with all columns that are missing or stand twice.
  void finish_header() const { table_.finish_header(); }

  /// Moves to the next row with as many fields as the header; at the end of the file it is an
  /// InputError when anything was noted.
  bool next();
  /// Nothing was noted in this row so far.
  [[nodiscard]] bool good() const { return problems_.size() == problems_above_; }

  /// Blank where there is no such column.
  [[nodiscard]] std::string_view text(JobColumn column) const {
    return column ? table_.text(*column) : std::string_view{};
  }
  [[nodiscard]] bool blank(JobColumn column) const { return text(column).empty(); }
  /// A text whose doubled quotes are single again.
  [[nodiscard]] std::string words(JobColumn column) const;

  /// A value; what cannot be read is noted and gives T{}.
  template <class T>
  T read(JobColumn column, Parsed<T> (*parse)(std::string_view)) {
    const Parsed<T> value = parse(text(column));
    if (value) return *value;
    note(column, value.failure());
    return T{};
  }
  /// The same where a blank is nothing.
  template <class T>
  std::optional<T> read_if(JobColumn column, Parsed<T> (*parse)(std::string_view)) {
    if (blank(column)) return std::nullopt;
    return read(column, parse);
  }

  void note(JobColumn column, const ParseFailure& failure);
  [[nodiscard]] std::string file() const { return table_.lines().file(); }

 private:
  CsvTable table_;
  ProblemList problems_;
  std::size_t problems_above_ = 0;
};

}  // namespace gpucap::workload
