#pragma once

#include "gpucap/cluster/gpu_time.hpp"
#include "gpucap/cluster/job.hpp"
#include "gpucap/cluster/nodes.hpp"
#include "gpucap/cluster/policy.hpp"
#include "gpucap/cluster/sink.hpp"
#include "gpucap/units/sim_time.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

namespace gpucap::cluster {

struct ClusterPlan {
  std::vector<NodeGroup> groups;  ///< at most 64
  Policy policy;
  std::uint64_t seed = 0;                       ///< of the faults
  std::int64_t max_restarts = 1000;             ///< a job that faults stop more often is given up
  std::optional<SimTime> until = std::nullopt;  ///< stop then; absent: when all jobs have left

  [[nodiscard]] std::int64_t gpus() const;
};

/// Where the time of all GPUs of one group went, from the first submit to the end. The four parts
/// add up to GPUs x span exactly.
struct GroupRecord {
  GpuUse use;
  GpuTime idle;             ///< free, or on a node about to be reclaimed
  GpuTime away;             ///< of nodes under repair or being replaced
  std::int64_t faults = 0;  ///< that took a node away or hit a GPU, on idle ones too
};

struct ClusterRecord {
  std::int64_t submitted = 0, finished = 0, given_up = 0, running = 0, waiting = 0;
  std::array<std::int64_t, refusal_count> refused{};
  std::int64_t cut = 0;       ///< of the finished: stopped at their limit
  std::int64_t restarts = 0;  ///< stays that a fault ended
  std::int64_t resizes = 0;
  std::vector<GroupRecord> groups;
  GpuTime asked;  ///< GPUs x run time of all jobs in the queue's group of choice, nothing failing
  std::int64_t gpus = 0;
  SimTime first_submit, last_submit;
  SimTime end;  ///< last end of a job or refusal, or ClusterPlan::until

  [[nodiscard]] std::int64_t all_refused() const;
  [[nodiscard]] GpuUse use() const;
  [[nodiscard]] SimTime makespan() const { return {end.ns - first_submit.ns}; }
  /// GPUs in use on average if nobody waited, over the span of the submits; absent when that is 0.
  [[nodiscard]] std::optional<double> asked_gpus() const;
  /// The same over all GPUs: at 1 or more no queue can stay short.
  [[nodiscard]] std::optional<double> offered_load() const;
  /// GPU time held by jobs over GPUs x makespan; absent when that is 0.
  [[nodiscard]] std::optional<double> allocated_share() const;
};

/// Runs jobs through a cluster, event by event, until all have left. Throws std::invalid_argument
/// for a plan or a job that cannot be (order of submits, numbers below zero), std::out_of_range for
/// times beyond 146 years, std::logic_error when jobs or GPU time do not add up at the end.
ClusterRecord simulate(const ClusterPlan& plan, JobStream& jobs, const std::vector<Sink*>& sinks);

}  // namespace gpucap::cluster
