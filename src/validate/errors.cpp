#include "gpucap/validate/errors.hpp"

#include "gpucap/core/statistics.hpp"

#include <algorithm>
#include <cmath>

namespace gpucap::validate {

double error_of(double predicted, double measured) {
  return predicted / measured - 1;
}

ErrorSummary summarize_errors(const std::vector<double>& errors) {
  ErrorSummary summary;
  summary.count = static_cast<std::int64_t>(errors.size());
  if (errors.empty()) return summary;
  std::vector<double> sizes;
  for (const double error : errors) sizes.push_back(std::abs(error));
  std::sort(sizes.begin(), sizes.end());
  summary.bias = summarize(errors).mean;
  summary.median = nearest_rank(sizes, 50);
  summary.p95 = nearest_rank(sizes, 95);
  summary.worst = *std::max_element(errors.begin(), errors.end(),
                                    [](double a, double b) { return std::abs(a) < std::abs(b); });
  return summary;
}

}  // namespace gpucap::validate
