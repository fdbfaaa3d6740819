#include "calibration_files.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace gpucap::evaluate {

void add_file(std::vector<std::string>& files, const perf::FitOrigin& origin,
              const std::string& card) {
  if (origin.file.empty()) return;
  std::string entry = origin.file;
  if (!origin.measured && !origin.card.empty() && origin.card != card) {
    entry += fmt::format(" (measured on {}, transferred to {})", origin.card, card);
  }
  if (std::find(files.begin(), files.end(), entry) == files.end()) files.push_back(entry);
}

void add_kernel_files(std::vector<std::string>& files, const perf::Calibration& fits,
                      const std::string& card) {
  add_file(files, fits.sustained.origin, card);
  for (const auto& [part, origin] : perf::parts_of(fits)) add_file(files, *origin, card);
  add_file(files, fits.power.origin, card);
}

}  // namespace gpucap::evaluate
