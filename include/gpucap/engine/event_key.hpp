#pragma once

#include "gpucap/units/sim_time.hpp"

#include <compare>
#include <cstdint>

namespace gpucap::engine {

/// What comes first among events of one instant: resources are released before new work arrives,
/// work arrives before anybody decides, and observers look last.
enum class Phase : std::uint8_t { release, arrive, decide, observe };

/// Total order of events: time, phase, then order of scheduling. No two events are ever equal, so
/// a run does not depend on how the heap is built.
struct EventKey {
  SimTime time;
  Phase phase = Phase::release;
  std::uint64_t sequence = 0;
  constexpr auto operator<=>(const EventKey&) const = default;
};

}  // namespace gpucap::engine
