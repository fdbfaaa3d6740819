#include "gpucap/cluster/interval.hpp"

#include <cmath>

namespace gpucap::cluster {

Seconds young_interval(Seconds write, Seconds mean_between) {
  return std::sqrt(2 * (write / mean_between)) * mean_between;
}

Seconds daly_interval(Seconds write, Seconds mean_between) {
  if (write >= 2 * mean_between) return mean_between;
  const double half = write / (2 * mean_between);
  return young_interval(write, mean_between) * (1 + std::sqrt(half) / 3 + half / 9) - write;
}

Seconds SegmentedRun::mean_time() const {
  const double segment = std::expm1((interval + write) / mean_between);
  return std::exp(restart / mean_between) * segment * (work / interval) * mean_between;
}

}  // namespace gpucap::cluster
