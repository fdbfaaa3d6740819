#include "gpucap/metrics/overload.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace gpucap::metrics {
namespace {

std::int64_t count_within(const std::vector<SimTime>& times, SimTime after, SimTime until) {
  return std::count_if(times.begin(), times.end(),
                       [&](SimTime t) { return t > after && t <= until; });
}

}  // namespace

std::string OverloadVerdict::reason() const {
  return fmt::format("{:.3g} of {:.3g} requests/s finished while the queue grew from {} to {}",
                     static_cast<double>(finished) / half_s, static_cast<double>(arrived) / half_s,
                     queue_mid, queue_last);
}

void OverloadDetector::arrived(std::int64_t /*id*/, SimTime time, std::int64_t queue_length) {
  if (kind_ == LoopKind::closed) return;
  arrivals_.push_back(time);
  queues_.push_back(static_cast<std::uint32_t>(queue_length));
}

void OverloadDetector::finished(const record::RequestRow& row) {
  if (kind_ == LoopKind::open) finishes_.push_back(row.finished);
}

void OverloadDetector::refused(std::int64_t /*id*/, SimTime time) {
  if (kind_ == LoopKind::open) refusals_.push_back(time);
}

OverloadVerdict OverloadDetector::verdict() const {
  OverloadVerdict verdict;
  if (arrivals_.empty() || arrivals_.front() == arrivals_.back()) return verdict;
  const SimTime last = arrivals_.back();
  const SimTime middle{arrivals_.front().ns + (last.ns - arrivals_.front().ns) / 2};
  const auto after_middle = std::upper_bound(arrivals_.begin(), arrivals_.end(), middle);
  verdict.arrived = arrivals_.end() - after_middle - count_within(refusals_, middle, last);
  verdict.finished = count_within(finishes_, middle, last);
  // The first arrival is never after the middle.
  verdict.queue_mid = queues_[static_cast<std::size_t>(after_middle - arrivals_.begin()) - 1];
  verdict.queue_last = queues_.back();
  verdict.half_s = as_seconds(SimTime{last.ns - middle.ns});
  // Whole numbers, so that exactly 95 of 100 is enough everywhere.
  const bool behind = verdict.finished * 100 < verdict.arrived * 95;
  // A queue that grows steadily doubles from mid-span to the end; a settled one stays. Half-way
  // between tells them apart, where "twice" would be decided by chance.
  verdict.overloaded = behind && 2 * verdict.queue_last > 3 * verdict.queue_mid;
  return verdict;
}

}  // namespace gpucap::metrics
