#include "csv_row.hpp"

namespace gpucap::workload {
namespace {

/// Index of the comma that ends the field which starts at `begin`, or the end of the line.
std::size_t end_of_field(std::string_view line, std::size_t begin) {
  bool quoted = false;
  for (std::size_t i = begin; i < line.size(); ++i) {
    if (line[i] == '"') quoted = !quoted;
    if (line[i] == ',' && !quoted) return i;
  }
  return line.size();
}

CsvField field_of(std::string_view line, std::size_t begin, std::size_t end) {
  while (begin < end && (line[begin] == ' ' || line[begin] == '\t')) ++begin;
  while (end > begin && (line[end - 1] == ' ' || line[end - 1] == '\t')) --end;
  const bool quoted = end - begin >= 2 && line[begin] == '"' && line[end - 1] == '"';
  if (quoted) ++begin, --end;
  return {line.substr(begin, end - begin), static_cast<std::int64_t>(begin) + 1};
}

}  // namespace

void split_csv(std::string_view line, std::vector<CsvField>& fields) {
  fields.clear();
  for (std::size_t begin = 0; begin <= line.size();) {
    const std::size_t end = end_of_field(line, begin);
    fields.push_back(field_of(line, begin, end));
    begin = end + 1;
  }
}

}  // namespace gpucap::workload
