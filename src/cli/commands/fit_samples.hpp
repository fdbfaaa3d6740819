#pragma once

#include "gpucap/calibrate/fit_file.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace gpucap::cli {

/// Fits what `gpucap calibrate` wrote and writes the calibration that `run --calibration` takes;
/// `gpu` and `parts` (a list with commas) may be empty. The fitted parts, for the report. Throws
/// InputError.
calibrate::FittedFile fit_samples_file(const std::filesystem::path& samples, const std::string& gpu,
                                       const std::string& parts, const std::filesystem::path& out);

}  // namespace gpucap::cli
