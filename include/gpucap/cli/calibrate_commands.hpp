#pragma once

#include "gpucap/cli/command.hpp"

namespace gpucap::cli {

/// Samples of a device at hand.
Command calibrate_command();
/// Operator samples to a fit file.
Command fit_command();

}  // namespace gpucap::cli
