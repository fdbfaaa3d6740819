#pragma once

#include "gpucap/calibrate/log_fit.hpp"
#include "gpucap/cli/console.hpp"

namespace gpucap::cli {

/// Three tables: the numbers before and after, the errors by metric, the errors of every figure.
void print_log_fit(const calibrate::LogFit& fit, Console& console);

}  // namespace gpucap::cli
