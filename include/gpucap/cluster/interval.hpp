#pragma once

#include "gpucap/units/quantity.hpp"

namespace gpucap::cluster {

/// Working time between checkpoints that take `write`, with failures `mean_between` apart on
/// average. J. W. Young, "A first order approximation to the optimum checkpoint interval" (1974).
Seconds young_interval(Seconds write, Seconds mean_between);

/// The higher-order estimate; `mean_between` where writes take twice that or longer. J. T. Daly,
/// "A higher order estimate of the optimum checkpoint interval for restart dumps" (2006).
Seconds daly_interval(Seconds write, Seconds mean_between);

/// A job that is cut into equal segments, a write after each, under exponential failures.
struct SegmentedRun {
  Seconds work, interval, write, restart, mean_between;

  /// Mean wall time (Daly 2006, exact): M e^(R/M) (e^((tau + C)/M) - 1) W / tau.
  [[nodiscard]] Seconds mean_time() const;
};

}  // namespace gpucap::cluster
