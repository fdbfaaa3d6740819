#pragma once

#include "gpucap/perf/calibration.hpp"

namespace gpucap::perf {

/// Ideal kernels at the full rates of the spec sheet: an upper bound of speed, fitted to nothing.
/// Power shares, which no spec sheet states, stay those of `fitted`.
Calibration roofline(const Calibration& fitted);

}  // namespace gpucap::perf
