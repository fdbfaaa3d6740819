#include "gpucap/metrics/job_waits.hpp"

namespace gpucap::metrics {

void JobWaits::ended(const cluster::JobRow& row) {
  const auto delay = row.queueing_delay();
  if (!delay) return;
  queue_.add(*delay);
  by_gpu_time_.add(*delay, static_cast<std::int64_t>(row.use.held().gpu_seconds()));
  if (row.restarts > 0) waited_again_.add(row.waited_again);
  if (row.ending == cluster::Ending::finished) {
    completion_.add(SimTime{row.end.ns - row.job.submit.ns});
  }
}

JobSummaries JobWaits::summaries() const {
  return {queue_.summary(), by_gpu_time_.summary(), waited_again_.summary(), completion_.summary()};
}

void QueueWatch::submitted(const cluster::Job& /*job*/, SimTime time, std::int64_t queued) {
  detector_.arrived(0, time, queued);
}

void QueueWatch::refused(const cluster::Job& /*job*/, SimTime time, cluster::Refusal /*why*/) {
  detector_.refused(0, time);
}

void QueueWatch::started(const cluster::Job& /*job*/, SimTime time) {
  record::RequestRow row;
  row.finished = time;
  detector_.finished(row);
}

QueueVerdict QueueWatch::verdict() const {
  const OverloadVerdict verdict = detector_.verdict();
  return {verdict.overloaded, verdict.arrived, verdict.finished, verdict.queue_mid,
          verdict.queue_last};
}

}  // namespace gpucap::metrics
