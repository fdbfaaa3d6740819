#pragma once

#include "gpucap/calibrate/calibration_file.hpp"
#include "gpucap/calibrate/log_fit.hpp"

#include <string>

namespace gpucap::calibrate {

/// The file that keeps a fit to logs: the parts whose shares were scaled, whole, and the host times
/// of the engine if one of them was identified. `runs` says in words what was read.
CalibrationFile calibration_of(const LogFit& fit, const hardware::Gpu& gpu,
                               const std::string& method, const std::string& runs,
                               const std::string& date);

}  // namespace gpucap::calibrate
