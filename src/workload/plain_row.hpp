#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "trace_row.hpp"

namespace gpucap::workload {

/// What a column of a CSV trace holds.
enum class Column { other, arrival, prompt, output, blocks };

/// Reads rows of a CSV trace that are written plainly: no quotes, no blanks around fields, small
/// numbers without sign. All others are refused without a word, for a strict reader to take or to
/// complain about; where this one reads a row, the strict one would read the same.
class PlainRows {
 public:
  /// Columns in the order of the file. Arrivals are dates, or else seconds.
  PlainRows(std::vector<Column> columns, bool dates, std::int64_t block_tokens);

  /// Reads the line that `text` begins with, and returns its length with its end; 0 when it is
  /// refused, `row` being in disorder then. Needs LineReader::slack zero bytes behind the text.
  std::size_t read(std::string_view text, TraceRow& row);

  struct Taken {
    std::size_t rows = 0, bytes = 0;
  };
  /// Reads lines from the beginning of `text`, up to the first that is refused, arrives before the
  /// one above (before `latest`, the first one) or is cut off by the end of the text. No column may
  /// hold blocks.
  Taken read(std::string_view text, SimTime latest, std::span<PlainRow> rows);

 private:
  // All return where the field ends, or null when it is not plain.
  const char* read_plain(const char* line, const char* last, PlainRow& row);
  const char* read_usual(const char* at, const char* last, PlainRow& row);
  const char* read_any(const char* line, const char* last, TraceRow& row);
  const char* read_field(Column column, const char* at, const char* last, TraceRow& row);
  const char* read_arrival(const char* at, const char* last, SimTime& arrival);
  const char* read_date(const char* at, SimTime& arrival);
  bool enter_minute(const char* at);

  std::vector<Column> columns_;
  bool dates_, usual_;
  std::int64_t block_tokens_;
  char minute_text_[16] = {};   ///< "2023-11-16 18:17" of the last row
  std::int64_t minute_ns_ = 0;  ///< its time since 1970
};

}  // namespace gpucap::workload
