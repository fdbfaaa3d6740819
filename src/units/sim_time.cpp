#include "gpucap/units/sim_time.hpp"

#include <cmath>
#include <stdexcept>

namespace gpucap {

Ticks to_ticks(Seconds duration) {
  const double ticks = std::nearbyint(duration.in(unit::ns) * (1 << Ticks::fraction_bits));
  if (!(std::fabs(ticks) < 1e30)) throw std::out_of_range("duration is not a finite step cost");
  return {static_cast<Ticks::Wide>(ticks)};
}

SimTime to_sim_time(Seconds since_start) {
  const double ns = std::nearbyint(since_start.in(unit::ns));
  if (!(std::fabs(ns) < 9.2e18)) throw std::out_of_range("instant is outside the simulated range");
  return {static_cast<std::int64_t>(ns)};
}

}  // namespace gpucap
