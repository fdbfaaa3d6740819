#include "gpucap/perf/sustained_rate.hpp"

#include <algorithm>
#include <cmath>

namespace gpucap::perf {

double sustained_share(const SwitchingEnergy& energy, const PowerCap& cap) {
  const double joules_per_flop = energy.per_flop.base() * (cap.clock / energy.clock);
  const Watts at_full_clock = Watts::from_base(joules_per_flop * cap.peak.base());
  return std::min(1.0, std::sqrt((cap.limit - cap.floor) / at_full_clock));
}

}  // namespace gpucap::perf
