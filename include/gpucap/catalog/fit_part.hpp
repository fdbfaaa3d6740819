#pragma once

#include "gpucap/perf/calibration.hpp"

namespace gpucap::catalog {

/// One part of a calibration and where it comes from.
template <class Fit>
struct FitPart {
  Fit fit;
  perf::FitOrigin origin;
};

}  // namespace gpucap::catalog
