#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "csv_row.hpp"
#include "line_reader.hpp"

namespace gpucap::workload {

/// A CSV file with a header line, read row by row; columns are found by name.
class CsvTable {
 public:
  /// Reads the header. InputError when the file is empty.
  explicit CsvTable(LineReader lines, char separator = ',');

  /// Index of a column; absent ones are noted (see finish_header) unless `optional`. A name that
  /// occurs twice is ambiguous.
  std::optional<std::size_t> column(std::string_view name, bool optional = false);
  /// InputError with everything that column() noted.
  void finish_header() const;
  [[nodiscard]] const std::vector<std::string>& names() const { return names_; }

  /// Moves to the next row; InputError when it has not as many fields as the header.
  bool next();
  /// The same for who reads on after such a row: `fault` is its problem, or nothing.
  bool next(std::optional<Problem>& fault);
  [[nodiscard]] std::string_view text(std::size_t column) const { return fields_[column].text; }
  [[nodiscard]] Place place(std::size_t column) const {
    return {lines_.number(), fields_[column].column};
  }
  [[nodiscard]] Problem problem(std::size_t column, std::string message, std::string code) const;
  [[nodiscard]] const LineReader& lines() const { return lines_; }
  /// For a reader that takes rows without their fields (see LineReader::ahead).
  [[nodiscard]] LineReader& lines() { return lines_; }

 private:
  void split();

  LineReader lines_;
  char separator_;
  std::vector<std::string> names_;
  std::vector<Problem> header_problems_;
  std::vector<CsvField> fields_;
};

}  // namespace gpucap::workload
