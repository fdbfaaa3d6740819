#include "gpucap/calibrate/held_out_error.hpp"

#include "gpucap/core/statistics.hpp"

#include <cmath>
#include <map>
#include <utility>

namespace gpucap::calibrate {
namespace {

/// Standard deviation of the group means.
double spread_of(const std::map<std::size_t, std::vector<double>>& by_group) {
  if (by_group.size() < 2) return 0;
  std::vector<double> means;
  for (const auto& [group, values] : by_group) means.push_back(*summarize(values).mean);
  const double centre = *summarize(means).mean;
  double squares = 0;
  for (const double mean : means) squares += (mean - centre) * (mean - centre);
  return std::sqrt(squares / static_cast<double>(means.size() - 1));
}

}  // namespace

HeldOutError error_summary(std::string range, const std::vector<double>& log_errors,
                           const std::vector<std::size_t>& groups) {
  HeldOutError error;
  error.range = std::move(range);
  error.points = static_cast<std::int64_t>(log_errors.size());
  if (log_errors.empty()) return error;
  std::vector<double> sizes;
  std::map<std::size_t, std::vector<double>> by_group;
  for (std::size_t i = 0; i < log_errors.size(); ++i) {
    sizes.push_back(std::fabs(std::exp(log_errors[i]) - 1));
    by_group[groups.empty() ? i : groups[i]].push_back(log_errors[i]);
  }
  const Summary summary = summarize(std::move(sizes));
  error.median = *summary.p50;
  error.p95 = *summary.p95;
  error.bias = *summarize(log_errors).mean;
  error.spread = spread_of(by_group);
  return error;
}

}  // namespace gpucap::calibrate
