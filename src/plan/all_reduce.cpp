#include "gpucap/plan/serving_plan.hpp"

#include <fmt/format.h>

namespace gpucap::plan {

perf::CollectiveFit all_reduce_on(const perf::Calibration& calibration, const hardware::Host& host,
                                  int ranks) {
  for (const perf::CollectiveFit& fit : calibration.all_reduce) {
    if (fit.host == host.id && fit.ranks == ranks) return fit;
  }
  // A ring sends in 2 (n - 1) steps; the host states the start cost of the two steps of a pair.
  perf::CollectiveFit derived;
  derived.host = host.id;
  derived.ranks = ranks;
  derived.alpha = host.ring_latency * static_cast<double>(ranks - 1);
  derived.busbw = host.ring_bandwidth;
  derived.implementation = "ring";
  derived.origin.source = fmt::format("ring over the links of {}: {}", host.id, host.source);
  derived.origin.measured = host.measured && ranks == 2;
  return derived;
}

}  // namespace gpucap::plan
