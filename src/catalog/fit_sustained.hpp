#pragma once

#include "gpucap/hardware/gpu.hpp"
#include "gpucap/perf/calibration.hpp"

#include <filesystem>
#include <map>
#include <string>
#include <string_view>

namespace gpucap::catalog {

inline constexpr std::string_view sustained_file = "calibration/fits/sustained-rate.json";

/// The file: figures of cards, and of generations of chips by compute capability.
struct SustainedTable {
  struct Entry {
    double value = 0;
    std::string source;
  };
  double floor_of_tdp = 0;
  std::map<std::string, Entry> cards;        ///< share of the peak
  std::map<std::string, Entry> generations;  ///< pJ per FLOP at 1 GHz
};

/// Throws InputError with all problems of the file.
SustainedTable read_sustained(const std::filesystem::path& data_dir);

/// Share of its peak that `gpu` sustains under its power cap: its own figure where the file has
/// one, else from the energy per FLOP of its generation, else 1, and the origin says which.
perf::SustainedRate sustained_rate(const SustainedTable& table, const hardware::Gpu& gpu);

}  // namespace gpucap::catalog
