#include "gpucap/workload/inspect_jobs.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace gpucap::workload {
namespace {

double gpus(std::int64_t thousandths) {
  return static_cast<double>(thousandths) / 1000;
}

std::vector<JobSize> sizes_of(const std::vector<Job>& jobs) {
  std::map<std::int64_t, JobSize> sizes;
  for (const Job& job : jobs) {
    JobSize& size = sizes[job.gpu_thousandths];
    size.gpu_thousandths = job.gpu_thousandths;
    ++size.jobs;
    size.gpu_time += gpus(job.gpu_thousandths) * as_seconds(job.duration) * unit::s;
  }
  std::vector<JobSize> ascending;
  for (const auto& [thousandths, size] : sizes) ascending.push_back(size);
  return ascending;
}

DurationSummary durations_of(const std::vector<Job>& jobs) {
  std::vector<SimTime> durations;
  durations.reserve(jobs.size());
  for (const Job& job : jobs) durations.push_back(job.duration);
  std::sort(durations.begin(), durations.end());
  const auto rank = [&](std::size_t percent) {
    return durations[(percent * durations.size() + 99) / 100 - 1];
  };
  return {rank(50), rank(95), durations.back()};
}

/// Ends at an instant come before starts at the same one.
double most_at_once(const std::vector<Job>& jobs) {
  std::vector<std::pair<std::int64_t, std::int64_t>> changes;
  changes.reserve(2 * jobs.size());
  for (const Job& job : jobs) {
    changes.emplace_back(job.submit.ns, job.gpu_thousandths);
    changes.emplace_back(job.submit.ns + job.duration.ns, -job.gpu_thousandths);
  }
  std::sort(changes.begin(), changes.end());
  std::int64_t now = 0, most = 0;
  for (const auto& [at, change] : changes) most = std::max(most, now += change);
  return gpus(most);
}

}  // namespace

JobSummary inspect(const JobTrace& trace) {
  JobSummary summary;
  summary.first_submit = trace.first_submit();
  summary.last_submit = trace.last_submit();
  summary.sizes = sizes_of(trace.jobs);
  summary.duration = durations_of(trace.jobs);
  for (const JobSize& size : summary.sizes) summary.gpu_time += size.gpu_time;
  if (summary.span() > Seconds{}) summary.mean_gpus = summary.gpu_time / summary.span();
  summary.most_gpus = most_at_once(trace.jobs);
  for (const Job& job : trace.jobs) {
    summary.elastic += job.scalability != nullptr;
    summary.restricted += !job.gpu_models.empty();
    summary.with_iterations += job.iterations.has_value();
  }
  return summary;
}

}  // namespace gpucap::workload
