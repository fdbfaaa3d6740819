#pragma once

#include "gpucap/plan/serving_plan.hpp"

#include <string>
#include <vector>

namespace gpucap::plan {

/// What of the plan's times was not measured on its own card, one sentence for each other source.
std::vector<std::string> origin_notes(const ServingPlan& plan);

}  // namespace gpucap::plan
