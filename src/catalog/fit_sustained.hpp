#pragma once

#include "gpucap/hardware/gpu.hpp"
#include "gpucap/perf/calibration.hpp"

#include <filesystem>

namespace gpucap::catalog {

inline constexpr std::string_view sustained_file = "calibration/fits/sustained-rate.json";

/// Share of its peak that `gpu` sustains under its power cap: its own figure where the file has
/// one, else from the energy per FLOP of its generation, else 1, and the origin says which.
/// Throws InputError with all problems of the file.
perf::SustainedRate read_sustained(const std::filesystem::path& data_dir, const hardware::Gpu& gpu);

}  // namespace gpucap::catalog
