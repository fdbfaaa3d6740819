#pragma once

#include "gpucap/units/parse.hpp"
#include "gpucap/workload/job.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gpucap::workload {

/// Files of training jobs that can be read, always by name: none is guessed. Each is described in
/// docs/job-traces.md.
enum class JobFormat {
  elasticflow,  ///< CSV of the ElasticFlow artefact: the Philly subset and its variants
  pollux,       ///< CSV of the Pollux artefact with its profiles
  openb,        ///< pod list of Alibaba's 2023 GPU trace
  swf,          ///< Standard Workload Format of the Parallel Workloads Archive
  sacct,        ///< `sacct -P` of Slurm, with its header
  gpucap_jobs,  ///< own CSV, see write_jobs()
};

std::string_view name(JobFormat format);

/// All names, in the order of the enumeration.
std::vector<std::string> job_format_names();

/// An unknown name is a failure that offers the nearest one.
Parsed<JobFormat> parse_job_format(std::string_view text);

struct JobTraceOptions {
  JobFormat format = JobFormat::gpucap_jobs;
  /// Folder of throughput tables: MODEL.csv (elasticflow; without it no job is elastic), or
  /// APPLICATION-placements.csv and APPLICATION-scalability.csv (pollux, which needs it).
  std::optional<std::filesystem::path> profiles = std::nullopt;
  /// An elasticflow CSV that gives iterations by model and batch size, and durations where there is
  /// no profile: pollux alone needs it, since its workloads do not say how long a job has to train.
  std::optional<std::filesystem::path> work = std::nullopt;
  /// GPUs that a processor of an SWF file stands for, 1 or 0.25: swf alone needs it.
  std::optional<double> gpus_per_processor = std::nullopt;
  /// GPU on which jobs ran that name none.
  std::optional<std::string> recorded_gpu = std::nullopt;
};

/// Why a row is no job to simulate. The first one that applies counts, in this order.
enum class DropReason {
  job_step,       ///< a step of a job whose own row is there too (sacct)
  partial,        ///< a part of a job that was swapped out (swf status 2, 3, 4)
  no_submit,      ///< unknown when it was submitted
  never_started,  ///< pending, or cancelled before it started
  unfinished,     ///< still running when the trace was taken: its duration is not known
  no_gpus,        ///< zero GPUs, or fewer
  no_profile,     ///< nothing known of its application, batch size or number of GPUs (pollux)
  no_duration,    ///< zero, negative or blank duration
  duplicate,      ///< id, submit, GPUs and duration of a row above
};
inline constexpr std::size_t drop_reasons = 9;

/// snake_case, "never_started".
std::string_view name(DropReason reason);

/// All jobs of a file. Rows are jobs and dropped rows, every one is counted once.
struct JobTrace {
  std::vector<Job> jobs;  ///< by submit, equal ones as in the file; never empty
  std::int64_t rows = 0;  ///< of the file, without header and comments
  std::array<std::int64_t, drop_reasons> dropped{};  ///< by DropReason
  std::int64_t out_of_order = 0;  ///< kept rows submitted before one that stands above
  std::int64_t repeated_ids = 0;  ///< jobs whose id another job has too, after the first of them

  [[nodiscard]] std::int64_t dropped_for(DropReason reason) const {
    return dropped[static_cast<std::size_t>(reason)];
  }
  [[nodiscard]] SimTime first_submit() const { return jobs.front().submit; }
  [[nodiscard]] SimTime last_submit() const { return jobs.back().submit; }
};

/// Reads a whole file, plain, gzip or zstd (told by its first bytes). InputError with every problem
/// of the file up to twenty, each with line and column; also when no job is left.
JobTrace read_jobs(const std::filesystem::path& path, const JobTraceOptions& options);

/// Writes jobs as own CSV that read_jobs() reads back the same, with the optional columns that any
/// of them needs. InputError when the file cannot be written.
void write_jobs(const std::vector<Job>& jobs, const std::filesystem::path& path);

}  // namespace gpucap::workload
