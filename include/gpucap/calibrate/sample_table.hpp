#pragma once

#include "gpucap/core/error.hpp"

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gpucap::calibrate {

/// What a table of samples measures; its columns tell.
enum class TableKind { gemm, attention, mixed, collective, layer, sequence };
std::string_view name(TableKind kind);
/// Columns that a table of this kind must have; others are ignored unless a plan names them.
const std::vector<std::string>& required_columns(TableKind kind);

/// Column -> values; a row matches when each column holds one of its values.
using RowFilter = std::map<std::string, std::vector<std::string>>;

/// A CSV file of measurements: lines that begin with # are comments, the first other line names the
/// columns, cells may be quoted. Columns are found by name, so their order is free.
class SampleTable {
 public:
  /// Throws InputError: an unreadable or empty file, a row of another length than the header, or
  /// columns that are no kind of table (with the nearest kind and the columns that it lacks).
  /// `stated` gives columns that the file leaves out one value for every row.
  static SampleTable read(const std::filesystem::path& path,
                          const std::map<std::string, std::string>& stated = {});
  /// A table of such columns that is no file; `file` is what it is called.
  static SampleTable of_text(std::string file, std::string text);
  /// A table that is of none of these kinds: `kind` means nothing then.
  static SampleTable read_plain(const std::filesystem::path& path);

  [[nodiscard]] TableKind kind() const { return kind_; }
  [[nodiscard]] const std::string& file() const { return file_; }
  [[nodiscard]] std::size_t rows() const { return rows_.size(); }
  [[nodiscard]] bool has(std::string_view column) const;

  /// The cell of a row; empty when there is no such column.
  [[nodiscard]] std::string_view text(std::size_t row, std::string_view column) const;
  /// Numbers of a row. What is no such number is noted as a problem and reads as 0.
  double number(std::size_t row, std::string_view column);
  std::int64_t count(std::size_t row, std::string_view column);  ///< a whole number, not negative

  /// A filter column that the table lacks matches nothing.
  [[nodiscard]] bool matches(std::size_t row, const RowFilter& filter) const;

  /// Throws InputError with all that `number` and `count` noted.
  void throw_if_problems() const;

 private:
  struct Cell {
    std::string_view text;
    std::int64_t column = 1;  ///< of its first byte
  };
  struct Row {
    std::int64_t line = 0;
    std::vector<Cell> cells;
  };

  static SampleTable plain(std::string file, std::string text);
  void add_lines();
  void add_line(std::string_view line, std::int64_t number);
  void find_kind();
  [[nodiscard]] std::optional<std::size_t> index(std::string_view column) const;
  [[nodiscard]] Problem problem(std::string position, std::string column, std::string message,
                                std::string code) const;
  void bad_cell(std::size_t row, std::string_view column, const char* expected);

  std::string file_;
  std::unique_ptr<std::string> content_;  ///< at a fixed address: cells point into it
  std::map<std::string, std::string, std::less<>> stated_;
  std::vector<std::string> header_;
  std::vector<Row> rows_;
  TableKind kind_ = TableKind::gemm;
  std::vector<Problem> problems_;
};

}  // namespace gpucap::calibrate
