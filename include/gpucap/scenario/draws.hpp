#pragma once

#include "gpucap/evaluate/outcome.hpp"
#include "gpucap/scenario/library.hpp"
#include "gpucap/scenario/scenario.hpp"

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace gpucap::scenario {

/// Runs the whole study `draws` times with fitted numbers, engine constants and generated requests
/// drawn anew, and writes the intervals into the outcomes of the run without draws: one span per
/// load, candidates in the order of the scenario. `after_point` is called after each simulation.
/// Without draws nothing happens. Throws what plan_study throws. docs/models/uncertainty.md
void add_intervals(const Scenario& scenario, Library& library, std::int64_t draws,
                   const std::vector<std::span<evaluate::Outcome>>& loads,
                   const std::function<void()>& after_point);

}  // namespace gpucap::scenario
