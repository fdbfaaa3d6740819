#pragma once

#include "gpucap/evaluate/serving.hpp"
#include "gpucap/perf/draw.hpp"
#include "gpucap/scenario/library.hpp"
#include "gpucap/scenario/scenario.hpp"
#include "gpucap/workload/request.hpp"

#include <string>
#include <vector>

namespace gpucap::scenario {

/// One load with every candidate planned for it.
struct PlannedLoad {
  LoadSpec spec;
  std::vector<evaluate::ServingCase> cases;  ///< in the order of the scenario's candidates
};

/// Plans every candidate under every load; a scenario without `loads` has one, called "load".
/// Infeasible plans are answers and stay in. Throws InputError for what no candidate could ever do
/// (a constant length beyond the model's context, or beyond the KV cache of every candidate), for
/// prices that cannot be put into one currency, and for loads without a rate.
/// With a draw every fitted number is that of the draw.
std::vector<PlannedLoad> plan_study(const Scenario& scenario, Library& library,
                                    const perf::Draw* draw = nullptr);

/// Throws InputError for loads that cannot be generated.
void require_simulable(const Scenario& scenario);

/// A fresh stream of the requests of a load; every call gives the same ones.
/// In a draw generated requests come from streams of the draw; a trace is the same in all.
workload::Load requests_of(const Scenario& scenario, const LoadSpec& load,
                           const perf::Draw* draw = nullptr);

/// The day that prices are compared with: stated, or the newest on which one of them was seen.
std::optional<pricing::Date> as_of(const Scenario& scenario);

}  // namespace gpucap::scenario
