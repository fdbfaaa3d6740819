#pragma once

#include "gpucap/cli/arguments.hpp"
#include "gpucap/cli/command.hpp"
#include "gpucap/cli/console.hpp"

#include <vector>

namespace gpucap::cli {

/// Options of `fit --from` beside those that every fit has.
std::vector<Option> log_options();

/// `fit --from KIND`: other people's logs to a calibration of the card. Throws InputError.
Exit fit_from_logs(Arguments& arguments, Console& console);

}  // namespace gpucap::cli
