#include "gpucap/cluster/generate.hpp"

#include <cmath>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

namespace gpucap::cluster {

GeneratedJobs::GeneratedJobs(JobMix mix)
    : mix_(std::move(mix)),
      gaps_(mix_.seed, "submits"),
      work_(mix_.seed, "run times"),
      sizes_(mix_.seed, "sizes"),
      limits_(mix_.seed, "limits"),
      priorities_(mix_.seed, "priorities") {
  for (const JobMix::Size& size : mix_.sizes) {
    if (size.weight < 0) throw std::invalid_argument("weights of sizes are not below 0");
    weights_ += size.weight;
  }
  if (weights_ == 0) throw std::invalid_argument("jobs need a size");
}

std::int64_t GeneratedJobs::size() {
  std::int64_t draw = sizes_.uniform_int(0, weights_ - 1);
  for (const JobMix::Size& size : mix_.sizes) {
    if (draw < size.weight) return size.gpu_thousandths;
    draw -= size.weight;
  }
  throw std::logic_error("weights do not add up");
}

std::optional<Job> GeneratedJobs::next() {
  if (made_ == mix_.jobs) return std::nullopt;
  if (made_ > 0) time_ += gaps_.exponential(1) * mix_.mean_gap;
  const Seconds work = std::exp(mix_.sigma * work_.normal()) * mix_.median_work;
  const double over = 1 + (mix_.most_overestimated - 1) * limits_.uniform();
  Job job;
  job.id = fmt::format_int(made_++).str();
  job.submit = to_sim_time(time_);
  job.gpu_thousandths = size();
  job.work = to_sim_time(work);
  job.limit = to_sim_time(over * work);
  job.priority = priorities_.uniform_int(0, mix_.priorities - 1);
  job.kind = mix_.kind;
  return job;
}

}  // namespace gpucap::cluster
