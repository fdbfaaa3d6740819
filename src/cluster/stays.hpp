#pragma once

#include <cstdint>

#include "world.hpp"

namespace gpucap::cluster {

/// Puts a job on GPUs now. `save_first`: it comes from others and has its state to write.
void begin_stay(World& world, std::uint32_t job, std::size_t group, Placement placement,
                std::int64_t thousandths, SimTime save_first = {});

/// Ends a stay now, gives its GPUs back and takes what was done off the work that is left.
void end_stay(World& world, std::uint32_t job, const StaySpent& spent);

/// Tells of a job that is no longer on GPUs or in the queue, and forgets it.
void leave(World& world, std::uint32_t job, Ending ending);

}  // namespace gpucap::cluster
