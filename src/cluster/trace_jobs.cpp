#include "gpucap/cluster/trace_jobs.hpp"

#include <algorithm>
#include <utility>

namespace gpucap::cluster {

std::optional<Job> TraceJobs::next() {
  if (at_ == jobs_.size()) return std::nullopt;
  const workload::Job& recorded = jobs_[at_++];
  return Job{recorded.id,         recorded.submit,   recorded.gpu_thousandths,  recorded.duration,
             recorded.time_limit, recorded.priority, shared(kind_of_(recorded))};
}

/// Kinds are few: one for each model, batch and list of GPUs at most.
std::shared_ptr<const JobKind> TraceJobs::shared(JobKind kind) {
  const auto same = [&](const auto& known) { return *known == kind; };
  const auto known = std::ranges::find_if(kinds_, same);
  if (known != kinds_.end()) return *known;
  kinds_.push_back(std::make_shared<const JobKind>(std::move(kind)));
  return kinds_.back();
}

}  // namespace gpucap::cluster
