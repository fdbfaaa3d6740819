#include "gpucap/core/nearest_name.hpp"
#include "gpucap/workload/job_trace.hpp"

#include <iterator>

namespace gpucap::workload {
namespace {

constexpr std::string_view format_names[] = {"elasticflow", "pollux", "openb",
                                             "swf",         "sacct",  "gpucap-jobs"};

constexpr std::string_view reason_names[drop_reasons] = {
    "job_step", "partial",    "no_submit",   "never_started", "unfinished",
    "no_gpus",  "no_profile", "no_duration", "duplicate"};

}  // namespace

std::string_view name(JobFormat format) {
  return format_names[static_cast<int>(format)];
}

std::string_view name(DropReason reason) {
  return reason_names[static_cast<int>(reason)];
}

std::vector<std::string> job_format_names() {
  return {std::begin(format_names), std::end(format_names)};
}

Parsed<JobFormat> parse_job_format(std::string_view text) {
  const std::vector<std::string> known = job_format_names();
  for (std::size_t i = 0; i < known.size(); ++i) {
    if (known[i] == text) return static_cast<JobFormat>(i);
  }
  return ParseFailure{unknown_name("job trace format", text, known), "unknown-name"};
}

}  // namespace gpucap::workload
