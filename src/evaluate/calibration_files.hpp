#pragma once

#include "gpucap/perf/calibration.hpp"

#include <string>
#include <vector>

namespace gpucap::evaluate {

/// "calibration/fits/l40s-gemm.json (measured on l40s, transferred to rtx-6000-ada)", unless it is
/// there already.
void add_file(std::vector<std::string>& files, const perf::FitOrigin& origin,
              const std::string& card);

/// The files of the parts that give times, of the sustained rate and of power.
void add_kernel_files(std::vector<std::string>& files, const perf::Calibration& fits,
                      const std::string& card);

}  // namespace gpucap::evaluate
