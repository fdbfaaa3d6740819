#pragma once

#include "gpucap/cli/command.hpp"

namespace gpucap::cli {

/// Operator samples to a fit file.
Command fit_command();

}  // namespace gpucap::cli
