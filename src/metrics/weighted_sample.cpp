#include "gpucap/metrics/weighted_sample.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace gpucap::metrics {

void WeightedSample::add(SimTime value, std::int64_t weight) {
  if (value.ns < 0 || weight < 0) throw std::logic_error("a wait or its weight is below zero");
  ++n_;
  weight_ += weight;
  sum_ += static_cast<Ticks::Wide>(value.ns) * weight;
  greatest_ = std::max(greatest_, value);
  if (n_ > static_cast<std::int64_t>(exact_limit)) {
    if (!values_.empty()) spill();
    histogram_.add(value, weight);
  } else {
    values_.emplace_back(value, weight);
  }
}

void WeightedSample::spill() {
  for (const auto& [value, weight] : values_) histogram_.add(value, weight);
  values_ = {};
}

double WeightedSample::percentile(const std::vector<std::pair<SimTime, std::int64_t>>& sorted,
                                  double percent) const {
  const double share = std::ceil(percent / 100 * static_cast<double>(weight_));
  const auto rank = std::clamp<std::int64_t>(static_cast<std::int64_t>(share), 1, weight_);
  if (sorted.empty()) {
    const auto range = histogram_.at_rank(rank);
    return as_seconds(std::min(greatest_, SimTime{range.low + (range.width - 1) / 2}));
  }
  std::int64_t passed = 0;
  auto at = sorted.begin();
  while ((passed += at->second) < rank) ++at;
  return as_seconds(at->first);
}

Summary WeightedSample::summary() const {
  Summary summary;
  summary.n = n_;
  if (weight_ == 0) return summary;
  auto sorted = values_;
  std::ranges::sort(sorted);
  summary.mean = static_cast<double>(sum_) / static_cast<double>(weight_) * 1e-9;
  summary.p50 = percentile(sorted, 50);
  summary.p90 = percentile(sorted, 90);
  summary.p95 = percentile(sorted, 95);
  summary.p99 = percentile(sorted, 99);
  summary.max = as_seconds(greatest_);
  if (sorted.empty()) summary.quantile_error = DurationHistogram::relative_half_width;
  return summary;
}

}  // namespace gpucap::metrics
