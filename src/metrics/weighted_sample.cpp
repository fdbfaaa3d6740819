#include "gpucap/metrics/weighted_sample.hpp"

#include <algorithm>

namespace gpucap::metrics {

void WeightedSample::add(Ticks value, std::int64_t count) {
  if (count == 0) return;
  sum_ += value * count;
  n_ += count;
  entries_.push_back({shown(value).ns, count});
  if (entries_.size() < merge_at_) return;
  entries_ = merged(std::move(entries_));
  // Merging again pays only after as many new entries as are left now.
  merge_at_ = std::max(merge_at_, 2 * entries_.size());
}

std::vector<WeightedSample::Entry> WeightedSample::merged(std::vector<Entry> entries) {
  std::sort(entries.begin(), entries.end(),
            [](const Entry& a, const Entry& b) { return a.ns < b.ns; });
  std::size_t kept = 0;
  for (std::size_t i = 1; i < entries.size(); ++i) {
    if (entries[i].ns == entries[kept].ns) {
      entries[kept].count += entries[i].count;
    } else {
      entries[++kept] = entries[i];
    }
  }
  if (!entries.empty()) entries.resize(kept + 1);
  return entries;
}

Summary WeightedSample::summary() const {
  Summary summary;
  summary.n = n_;
  if (n_ == 0) return summary;
  const std::vector<Entry> sorted = merged(entries_);
  std::size_t at = 0;
  std::int64_t seen = sorted[0].count;
  // Percentiles are asked for in rising order, so one walk serves all.
  const auto nearest_rank = [&](std::int64_t percent) {
    const std::int64_t rank = (n_ * percent + 99) / 100;
    while (seen < rank) seen += sorted[++at].count;
    return as_seconds(SimTime{sorted[at].ns});
  };
  summary.mean = as_seconds(sum_) / static_cast<double>(n_);
  summary.p50 = nearest_rank(50);
  summary.p90 = nearest_rank(90);
  summary.p95 = nearest_rank(95);
  summary.p99 = nearest_rank(99);
  summary.max = as_seconds(SimTime{sorted.back().ns});
  return summary;
}

}  // namespace gpucap::metrics
