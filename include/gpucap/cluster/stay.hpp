#pragma once

#include "gpucap/units/sim_time.hpp"

#include <optional>

namespace gpucap::cluster {

/// How the time of a job on one set of GPUs passes if nothing stops it: a save that it owes, a
/// restart, then work and writes in turn until the work is done; the last write is the result.
struct StayTerms {
  SimTime save_first{};  ///< state to write before it moves to other GPUs
  SimTime restart{};
  double rate = 1;         ///< recorded run time done per working time, stalls counted in
  double stall_share = 0;  ///< of working time
  std::optional<SimTime> interval = std::nullopt;  ///< working time between writes, above 0
  SimTime write{};
  SimTime work{};  ///< recorded run time left
};

/// What a stay, or its beginning, was spent on: parts of wall time that add up to it exactly.
struct StaySpent {
  SimTime useful, stalled, lost, saving, restarting;
  SimTime done;  ///< recorded run time that need not be done again
};

/// Throws std::out_of_range beyond 146 years.
SimTime length(const StayTerms& terms);

StaySpent spent_whole(const StayTerms& terms);
/// Stopped by a failure: what was worked since the last finished write is lost.
StaySpent spent_until_failure(const StayTerms& terms, SimTime elapsed);
/// Stopped in order, with the state written in the last `write` of it: nothing is lost.
StaySpent spent_until_saved(const StayTerms& terms, SimTime elapsed, SimTime write);

}  // namespace gpucap::cluster
