#include "gpucap/core/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace gpucap {

double nearest_rank(const std::vector<double>& sorted, double percent) {
  const double rank = std::ceil(percent / 100 * static_cast<double>(sorted.size()));
  const auto last = static_cast<double>(sorted.size());
  return sorted[static_cast<std::size_t>(std::clamp(rank, 1.0, last)) - 1];
}

Summary summarize(std::vector<double> values) {
  Summary summary;
  summary.n = static_cast<std::int64_t>(values.size());
  if (values.empty()) return summary;
  std::sort(values.begin(), values.end());
  const double sum = std::accumulate(values.begin(), values.end(), 0.0);
  summary.mean = sum / static_cast<double>(values.size());
  summary.p50 = nearest_rank(values, 50);
  summary.p90 = nearest_rank(values, 90);
  summary.p95 = nearest_rank(values, 95);
  summary.p99 = nearest_rank(values, 99);
  summary.max = values.back();
  return summary;
}

}  // namespace gpucap
