#pragma once

#include "gpucap/evaluate/serving.hpp"
#include "gpucap/scenario/library.hpp"
#include "gpucap/scenario/scenario.hpp"

namespace gpucap::scenario {

/// One candidate of a scenario, planned for a model and put on the scenario's terms.
evaluate::ServingCase plan_case(const Scenario& scenario, const Candidate& candidate,
                                const models::Transformer& model, Library& library);

}  // namespace gpucap::scenario
