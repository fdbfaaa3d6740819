#pragma once

#include "gpucap/cli/arguments.hpp"
#include "gpucap/cli/command.hpp"
#include "gpucap/cli/console.hpp"

#include <vector>

namespace gpucap::cli {

std::vector<Option> power_options();

/// `fit --from nvidia-smi`: a power log to the active floor of a card. Throws InputError.
Exit fit_power_log(Arguments& arguments, Console& console);

}  // namespace gpucap::cli
