#pragma once

#include "gpucap/core/error.hpp"

#include <cstddef>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace gpucap::validate {

/// One row of a table of measurements; cells by column name.
class CsvCells {
 public:
  CsvCells(std::string file, std::size_t line, const std::vector<std::string>* names,
           std::vector<std::string> cells)
      : file_(std::move(file)), line_(line), names_(names), cells_(std::move(cells)) {}

  /// Empty where the table has no such column.
  [[nodiscard]] const std::string& text(const std::string& column) const;
  /// Nothing for an empty cell; InputError with file and line for one that is no number.
  [[nodiscard]] std::optional<double> number(const std::string& column) const;
  /// The same, but InputError where the cell is empty.
  [[nodiscard]] double needed(const std::string& column) const;
  [[nodiscard]] InputError fault(const std::string& column, std::string message,
                                 std::string code) const;

 private:
  std::string file_;
  std::size_t line_;
  const std::vector<std::string>* names_;
  std::vector<std::string> cells_;
};

/// A whole CSV file (RFC 4180 quoting, `#` lines are comments) in memory.
class CsvFile {
 public:
  /// `needed` columns must exist. Throws InputError for an unreadable or empty file, a missing
  /// column and rows with another number of cells than the header.
  CsvFile(const std::filesystem::path& path, const std::vector<std::string>& needed);
  CsvFile(const CsvFile&) = delete;  // rows point to the names
  CsvFile& operator=(const CsvFile&) = delete;

  [[nodiscard]] const std::vector<CsvCells>& rows() const { return rows_; }

 private:
  std::vector<std::string> names_;
  std::vector<CsvCells> rows_;
};

}  // namespace gpucap::validate
