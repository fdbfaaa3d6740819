#include "gpucap/core/error.hpp"

#include <vector>

#include "job_readers.hpp"
#include <fmt/format.h>

namespace gpucap::workload {
namespace {

using Problems = std::vector<Problem>;

void need(Problems& problems, bool there, const char* option, JobFormat format, const char* why) {
  if (there) return;
  problems.push_back(
      {"", "", option, fmt::format("is needed: {} {}", name(format), why), "missing-option"});
}

void refuse(Problems& problems, bool there, const char* option, JobFormat format) {
  if (!there) return;
  problems.push_back(
      {"", "", option, fmt::format("has no meaning for {} traces", name(format)), "unused-option"});
}

void check_pollux(Problems& problems, const JobTraceOptions& options) {
  need(problems, options.profiles.has_value(), "profiles", options.format,
       "traces time steps by profiles");
  need(problems, options.work.has_value(), "work", options.format,
       "traces say nothing of iterations; name an elasticflow CSV that does");
}

void check_swf(Problems& problems, const JobTraceOptions& options) {
  const auto& share = options.gpus_per_processor;
  need(problems, share.has_value(), "gpus_per_processor", options.format,
       "traces count processors; 1 takes each for a GPU");
  if (share && !(*share > 0 && *share <= 1000)) {
    problems.push_back({"", "", "gpus_per_processor",
                        fmt::format("{} is not a number above 0 and at most 1000", *share),
                        "out-of-range"});
  }
}

void check(const JobTraceOptions& options) {
  Problems problems;
  const bool pollux = options.format == JobFormat::pollux;
  if (pollux) check_pollux(problems, options);
  if (options.format == JobFormat::swf) check_swf(problems, options);
  if (options.format != JobFormat::swf) {
    refuse(problems, options.gpus_per_processor.has_value(), "gpus_per_processor", options.format);
  }
  if (!pollux) {
    refuse(problems, options.work.has_value(), "work", options.format);
    refuse(problems, options.profiles && options.format != JobFormat::elasticflow, "profiles",
           options.format);
  }
  if (!problems.empty()) throw InputError(std::move(problems));
}

JobTrace read(const std::filesystem::path& path, const JobTraceOptions& options) {
  switch (options.format) {
    case JobFormat::elasticflow:
      return read_elasticflow(path, options);
    case JobFormat::pollux:
      return read_pollux(path, options);
    case JobFormat::openb:
      return read_openb(path);
    case JobFormat::swf:
      return read_swf(path, *options.gpus_per_processor);
    case JobFormat::sacct:
      return read_sacct(path);
    case JobFormat::gpucap_jobs:
      break;
  }
  return read_own_jobs(path);
}

}  // namespace

void check_folder(const std::filesystem::path& path) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) return;
  throw InputError(Problem{path.string(), "", "", "there is no such folder", "missing-file"});
}

JobTrace read_jobs(const std::filesystem::path& path, const JobTraceOptions& options) {
  check(options);
  JobTrace trace = read(path, options);
  for (Job& job : trace.jobs) {
    if (!job.recorded_gpu) job.recorded_gpu = options.recorded_gpu;
  }
  return trace;
}

}  // namespace gpucap::workload
