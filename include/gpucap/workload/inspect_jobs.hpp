#pragma once

#include "gpucap/units/quantity.hpp"
#include "gpucap/workload/job_trace.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace gpucap::workload {

/// Jobs of one size.
struct JobSize {
  std::int64_t gpu_thousandths = 0;
  std::int64_t jobs = 0;
  Seconds gpu_time;  ///< GPUs times duration, summed
};

/// Durations of all jobs; percentiles by nearest rank, exact.
struct DurationSummary {
  SimTime p50, p95, max;
};

/// What a trace of jobs asks for.
struct JobSummary {
  SimTime first_submit, last_submit;
  std::vector<JobSize> sizes;  ///< ascending
  DurationSummary duration;
  Seconds gpu_time;  ///< GPUs times duration, summed: 3600 s are one GPU-hour
  /// GPU time over the time from first to last submit: the GPUs in use on average if no job
  /// waited. Absent when all are submitted at once.
  std::optional<double> mean_gpus;
  double most_gpus = 0;              ///< most GPUs in use at once if no job waited
  std::int64_t elastic = 0;          ///< jobs with a scalability table
  std::int64_t restricted = 0;       ///< jobs that name the GPU models they may run on
  std::int64_t with_iterations = 0;  ///< jobs that say how many iterations they do

  [[nodiscard]] Seconds span() const {
    return as_seconds(SimTime{last_submit.ns - first_submit.ns}) * unit::s;
  }
};

JobSummary inspect(const JobTrace& trace);

}  // namespace gpucap::workload
