#pragma once

#include "gpucap/catalog/json_document.hpp"
#include "gpucap/cli/arguments.hpp"
#include "gpucap/core/error.hpp"
#include "gpucap/scenario/library.hpp"
#include "gpucap/scenario/scenario.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace gpucap::cli {

/// Options that describe one node, model and engine: `memory serving` and `estimate serving`.
std::vector<Option> node_options();
/// Options that describe requests and their lengths, money and router.
std::vector<Option> load_options();

/// --draws N: Monte Carlo draws from which intervals come.
Option draws_option();
/// What it says, 0 without it; a wrong number is a problem of the arguments.
std::int64_t draws_of(Arguments& arguments);

/// --reference: one iteration at a time instead of jumps.
Option reference_option();
serving::Stepping stepping_of(const Arguments& arguments);

/// What must be given beside model and card.
enum class LoadNeed { required, optional };

/// The scenario of one candidate that the options describe. Throws InputError, whose problems name
/// options.
scenario::Scenario scenario_from(Arguments& arguments, LoadNeed need, scenario::Library& library);

/// Problems found after reading, with pointers turned back into option names.
InputError in_words_of_options(const InputError& error);

}  // namespace gpucap::cli
