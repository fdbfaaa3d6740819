#pragma once

#include "gpucap/cli/command.hpp"

namespace gpucap::cli {

// Commands that plan or simulate.
Command run_command();
Command estimate_serving();
Command memory_serving();
Command estimate_training();
Command memory_training();

/// Predictions beside measurements.
Command validate_command();

}  // namespace gpucap::cli
