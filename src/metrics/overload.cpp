#include "gpucap/metrics/overload.hpp"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

namespace gpucap::metrics {
std::string OverloadVerdict::reason() const {
  return fmt::format("{:.3g} of {:.3g} requests/s finished while the queue grew from {} to {}",
                     static_cast<double>(finished) / half_s, static_cast<double>(arrived) / half_s,
                     queue_mid, queue_last);
}

void OverloadDetector::arrived(std::int64_t /*id*/, SimTime time, std::int64_t queue_length) {
  if (kind_ == LoopKind::closed) return;
  if (last_.arrived > 0) keep(last_);
  last_ = {time, last_.arrived + 1, finished_, refused_, queue_length};
}

// A request is refused right after its arrival is told: that belongs to the arrival.
void OverloadDetector::refused(std::int64_t /*id*/, SimTime time) {
  ++refused_;
  if (time <= last_.time) last_.refused = refused_;
}

void OverloadDetector::finished(const record::RequestRow& row) {
  ++finished_;
  if (row.finished <= last_.time) last_.finished = finished_;
}

void OverloadDetector::keep(const Checkpoint& checkpoint) {
  if (((checkpoint.arrived - 1) & (stride_ - 1)) != 0) return;
  if (kept_.size() == max_checkpoints) {
    for (std::size_t i = 0; 2 * i < kept_.size(); ++i) kept_[i] = kept_[2 * i];
    kept_.resize(max_checkpoints / 2);
    stride_ *= 2;  // this one is number 2^14 strides: it stays
  }
  kept_.push_back(checkpoint);
}

const OverloadDetector::Checkpoint& OverloadDetector::last_not_after(SimTime time) const {
  const auto after =
      std::upper_bound(kept_.begin(), kept_.end(), time,
                       [](SimTime t, const Checkpoint& kept) { return t < kept.time; });
  return *std::prev(after);
}

OverloadVerdict OverloadDetector::verdict() const {
  OverloadVerdict verdict;
  if (kept_.empty() || kept_.front().time == last_.time) return verdict;
  const SimTime first = kept_.front().time;
  // The first arrival is never after the middle.
  const Checkpoint& start = last_not_after({first.ns + (last_.time.ns - first.ns) / 2});
  verdict.arrived = last_.arrived - start.arrived - (last_.refused - start.refused);
  verdict.finished = last_.finished - start.finished;
  verdict.queue_mid = start.queue;
  verdict.queue_last = last_.queue;
  verdict.half_s = as_seconds(SimTime{last_.time.ns - start.time.ns});
  // Whole numbers, so that exactly 95 of 100 is enough everywhere.
  const bool behind = verdict.finished * 100 < verdict.arrived * 95;
  // A queue that grows steadily doubles from mid-span to the end; a settled one stays. Half-way
  // between tells them apart, where "twice" would be decided by chance.
  verdict.overloaded = behind && 2 * verdict.queue_last > 3 * verdict.queue_mid;
  return verdict;
}

}  // namespace gpucap::metrics
