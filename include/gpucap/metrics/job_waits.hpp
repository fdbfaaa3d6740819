#pragma once

#include "gpucap/cluster/sink.hpp"
#include "gpucap/core/statistics.hpp"
#include "gpucap/metrics/overload.hpp"
#include "gpucap/metrics/quantile_sample.hpp"
#include "gpucap/metrics/weighted_sample.hpp"

#include <cstdint>

namespace gpucap::metrics {

/// In seconds, over the jobs that ran.
struct JobSummaries {
  Summary queue;              ///< queueing delay: submit to first start, each job the same
  Summary queue_by_gpu_time;  ///< the same, each job as often as it held GPU seconds; n: jobs
  Summary waited_again;       ///< in the queue after faults, jobs that a fault stopped only
  Summary completion;         ///< JCT: submit to end, finished jobs only
};

/// Waits and completion times of jobs, in bounded memory: see QuantileSample.
class JobWaits : public cluster::Sink {
 public:
  void ended(const cluster::JobRow& row) override;

  [[nodiscard]] JobSummaries summaries() const;

 private:
  DurationSample queue_, waited_again_, completion_;
  WeightedSample by_gpu_time_;
};

/// Whether the queue grew for as long as jobs came.
struct QueueVerdict {
  bool unstable = false;
  std::int64_t submitted = 0;  ///< in the second half of the span of submits, refused ones left out
  std::int64_t started = 0;    ///< for the first time, in that half
  std::int64_t queue_mid = 0;  ///< waiting at the start of the half
  std::int64_t queue_last = 0;  ///< waiting at the last submit
};

/// The rule of OverloadDetector for jobs, which leave the queue when they first start: in the
/// second half fewer than 95 start for 100 that are submitted, and the queue at the last submit is
/// more than 1.5 times that at mid-span. Jobs at one instant are never unstable.
class QueueWatch : public cluster::Sink {
 public:
  void submitted(const cluster::Job& job, SimTime time, std::int64_t queued) override;
  void refused(const cluster::Job& job, SimTime time, cluster::Refusal why) override;
  void started(const cluster::Job& job, SimTime time) override;

  [[nodiscard]] QueueVerdict verdict() const;

 private:
  OverloadDetector detector_{LoopKind::open};
};

}  // namespace gpucap::metrics
