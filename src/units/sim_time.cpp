#include "gpucap/units/sim_time.hpp"

#include <cmath>
#include <stdexcept>

namespace gpucap {

void throw_no_step_cost() {
  throw std::out_of_range("duration is not a finite step cost");
}

SimTime to_sim_time(Seconds since_start) {
  const double ns = std::nearbyint(since_start.in(unit::ns));
  if (!(std::fabs(ns) < 9.2e18)) throw std::out_of_range("instant is outside the simulated range");
  return {static_cast<std::int64_t>(ns)};
}

}  // namespace gpucap
