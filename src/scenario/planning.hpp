#pragma once

#include "gpucap/evaluate/serving.hpp"
#include "gpucap/scenario/library.hpp"
#include "gpucap/scenario/scenario.hpp"
#include "gpucap/scenario/study.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace gpucap::scenario {

/// One candidate of a scenario, planned for a model and put on the scenario's terms; with a draw,
/// as that draw has it.
evaluate::ServingCase plan_case(const Scenario& scenario, const Candidate& candidate,
                                const models::Transformer& model, Library& library,
                                const perf::Draw* draw);

/// Tokens of a request where prompt and output have constant lengths.
std::optional<std::int64_t> constant_tokens(const Scenario& scenario);

// What no candidate could do, or no comparison could show. Each throws InputError with pointers
// into the scenario.

/// A constant length beyond the model's context or beyond the KV cache of every candidate.
void check_lengths(const Scenario& scenario, const PlannedLoad& load);
/// Ids of a trace that cannot name the blocks of an engine.
void check_blocks(const Scenario& scenario, const PlannedLoad& load);
/// Reads a trace to its end, so that a fault in its last row is found before anything runs.
void check_trace(const Scenario& scenario, const std::vector<PlannedLoad>& loads);

}  // namespace gpucap::scenario
