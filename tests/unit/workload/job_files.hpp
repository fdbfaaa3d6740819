#pragma once

#include "gpucap/workload/job_trace.hpp"

#include <string>
#include <string_view>

#include "trace_files.hpp"

namespace gpucap::workload {

/// A file that is called after the test, with this content, read as jobs.
inline JobTrace jobs_of(std::string_view test, std::string_view content,
                        const JobTraceOptions& options) {
  const TemporaryFile file(test, content);
  return read_jobs(file.path(), options);
}

/// What reading it complains of, without the folder; empty when it is good.
inline std::string job_complaint(std::string_view test, std::string_view content,
                                 const JobTraceOptions& options) {
  const TemporaryFile file(test, content);
  try {
    read_jobs(file.path(), options);
    return "";
  } catch (const InputError& error) {
    std::string text = error.what();
    const std::string folder = file.path().parent_path().string() + '/';
    for (auto at = text.find(folder); at != std::string::npos; at = text.find(folder)) {
      text.erase(at, folder.size());
    }
    return text;
  }
}

/// Whole seconds as a time.
constexpr SimTime at_s(std::int64_t seconds) {
  return {seconds * 1'000'000'000};
}

}  // namespace gpucap::workload
