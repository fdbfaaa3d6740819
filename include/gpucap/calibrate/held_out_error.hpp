#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace gpucap::calibrate {

/// Errors over a range of held-out launches. Shares of the measured time.
struct HeldOutError {
  std::string range;  ///< in words; empty: what the part was fitted for
  std::int64_t points = 0;
  double median = 0, p95 = 0;  ///< of |predicted / measured - 1|, nearest rank
  double bias = 0;             ///< mean of ln(predicted / measured)
  double spread = 0;           ///< standard deviation over groups of the group's mean of that
};

/// From ln(predicted / measured) of each launch and the group that it is in, in the same order;
/// without groups each launch stands alone. No launches: all zero.
HeldOutError error_summary(std::string range, const std::vector<double>& log_errors,
                           const std::vector<std::size_t>& groups);

}  // namespace gpucap::calibrate
