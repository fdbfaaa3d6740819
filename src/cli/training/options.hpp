#pragma once

#include "gpucap/cli/arguments.hpp"
#include "gpucap/scenario/library.hpp"
#include "gpucap/scenario/training.hpp"

#include <vector>

namespace gpucap::cli {

/// Options that describe one training job on one node.
std::vector<Option> training_options();

/// The case that the options describe. Throws InputError, whose problems name options.
evaluate::TrainingCase training_case_from(Arguments& arguments, scenario::Library& library);

}  // namespace gpucap::cli
