#include "csv_row.hpp"

#include <algorithm>

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

CsvField trimmed(std::string_view line, std::size_t begin, std::size_t end) {
  while (begin < end && (line[begin] == ' ' || line[begin] == '\t')) ++begin;
  while (end > begin && (line[end - 1] == ' ' || line[end - 1] == '\t')) --end;
  return {line.substr(begin, end - begin), static_cast<std::int64_t>(begin) + 1};
}

CsvField field_of(std::string_view line, std::size_t begin, std::size_t end) {
  CsvField field = trimmed(line, begin, end);
  std::string_view& text = field.text;
  if (text.size() < 2 || text.front() != '"' || text.back() != '"') return field;
  return {text.substr(1, text.size() - 2), field.column + 1};
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

void split_plain(std::string_view line, char separator, std::vector<CsvField>& fields) {
  fields.clear();
  for (std::size_t begin = 0; begin <= line.size();) {
    const std::size_t end = std::min(line.find(separator, begin), line.size());
    fields.push_back(trimmed(line, begin, end));
    begin = end + 1;
  }
}

}  // namespace gpucap::workload
