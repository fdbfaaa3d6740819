#pragma once

#include "gpucap/cluster/job.hpp"
#include "gpucap/workload/job.hpp"

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <vector>

namespace gpucap::cluster {

/// What a recorded job is like on the node groups of a cluster: its speed there against the GPU on
/// which it was recorded, 0 where its list of GPU models does not let it run, and how it saves.
using KindOf = std::function<JobKind(const workload::Job&)>;

/// Recorded jobs, which must stand in order of submit and outlive this. Equal kinds are shared, so
/// that the scheduler sees few of them.
class TraceJobs final : public JobStream {
 public:
  TraceJobs(std::span<const workload::Job> jobs, KindOf kind_of)
      : jobs_(jobs), kind_of_(std::move(kind_of)) {}
  std::optional<Job> next() override;

 private:
  [[nodiscard]] std::shared_ptr<const JobKind> shared(JobKind kind);

  std::span<const workload::Job> jobs_;
  KindOf kind_of_;
  std::size_t at_ = 0;
  std::vector<std::shared_ptr<const JobKind>> kinds_;
};

}  // namespace gpucap::cluster
