#pragma once

#include "gpucap/calibrate/log_fit.hpp"
#include "gpucap/plan/serving_plan.hpp"

#include <functional>
#include <string>
#include <vector>

namespace gpucap::calibrate {

/// A number that a log may identify: what is known of it, and how a factor on it changes a
/// question.
struct LogKnob {
  LogNumber number;
  std::string key, meaning, unit;
  double before = 0;                        ///< in `unit`
  double deviation = 0, low = 0, high = 0;  ///< of the factor, see Prior
  double from_zero = 0;  ///< where `before` is 0: the value is (factor - 1) times this

  [[nodiscard]] double value(double factor) const {
    return from_zero > 0 ? (factor - 1) * from_zero : factor * before;
  }
  /// Derivative of the value by ln(factor).
  [[nodiscard]] double slope(double factor) const {
    return from_zero > 0 ? factor * from_zero : factor * before;
  }
};

/// Of the question's calibration and engine.
LogKnob knob_of(LogNumber number, const plan::ServingQuestion& question);

/// Puts the factor on that number in.
void turn(const LogKnob& knob, double factor, plan::ServingQuestion& question);

}  // namespace gpucap::calibrate
