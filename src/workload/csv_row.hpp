#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gpucap::workload {

/// A field of a CSV line and the column of its first character, counted from 1.
struct CsvField {
  std::string_view text;
  std::int64_t column = 1;
};

/// Splits one line at its commas; a field in double quotes may hold commas (quotes are taken off,
/// doubled ones stay doubled). Fields point into `line`.
void split_csv(std::string_view line, std::vector<CsvField>& fields);

/// The same at any other separator; quotes mean nothing.
void split_plain(std::string_view line, char separator, std::vector<CsvField>& fields);

}  // namespace gpucap::workload
