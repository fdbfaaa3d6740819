#pragma once

#include "gpucap/workload/job_trace.hpp"

namespace gpucap::workload {

// One per format; options that are not of it are looked at by read_jobs().
JobTrace read_elasticflow(const std::filesystem::path& path, const JobTraceOptions& options);
JobTrace read_pollux(const std::filesystem::path& path, const JobTraceOptions& options);
JobTrace read_openb(const std::filesystem::path& path);
JobTrace read_swf(const std::filesystem::path& path, double gpus_per_processor);
JobTrace read_sacct(const std::filesystem::path& path);
JobTrace read_own_jobs(const std::filesystem::path& path);

/// A folder of profiles. InputError when there is none.
void check_folder(const std::filesystem::path& path);

}  // namespace gpucap::workload
