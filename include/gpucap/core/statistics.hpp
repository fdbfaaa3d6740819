#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace gpucap {

/// Summary of a sample; everything but n is absent when the sample is empty.
struct Summary {
  std::int64_t n = 0;
  std::optional<double> mean, p50, p90, p95, p99, max;
  /// Each percentile lies within this share of the exact one; 0: exact. Mean and max always are.
  double quantile_error = 0;

  bool operator==(const Summary&) const = default;
};

/// Nearest-rank percentile of a sorted, non-empty sample: the smallest value such that at least
/// `percent` per cent of the sample is not above it. 1..20 has p95 = 19.
double nearest_rank(const std::vector<double>& sorted, double percent);

/// Exact summary; the mean is summed in sorted order, so it does not depend on arrival order.
Summary summarize(std::vector<double> values);

}  // namespace gpucap
