#include "job_table.hpp"

namespace gpucap::workload {

JobTable::JobTable(const std::filesystem::path& path, char separator)
    : table_(LineReader(path), separator) {}

bool JobTable::next() {
  for (std::optional<Problem> fault; table_.next(fault); problems_.add(*fault)) {
    problems_above_ = problems_.size();
    if (!fault) return true;
  }
  problems_.throw_if_any();
  return false;
}

std::string JobTable::words(JobColumn column) const {
  std::string words(text(column));
  for (std::size_t at = 0; (at = words.find("\"\"", at)) != std::string::npos; ++at) {
    words.erase(at, 1);
  }
  return words;
}

void JobTable::note(JobColumn column, const ParseFailure& failure) {
  problems_.add(table_.problem(column.value(), failure.message, failure.code));
}

}  // namespace gpucap::workload
