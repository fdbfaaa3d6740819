#pragma once

#include "gpucap/core/error.hpp"
#include "gpucap/hardware/gpu.hpp"
#include "gpucap/perf/calibration.hpp"
#include "gpucap/units/quantity.hpp"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace gpucap::calibrate {

/// One line of a power log that has a figure.
struct PowerSample {
  std::size_t line = 0;
  Seconds at;  ///< since the first line
  Watts power;
};

/// What nvidia-smi logged of one card.
struct PowerLog {
  std::string file;
  std::string name;  ///< of the card, as the driver writes it; empty where it is not logged
  std::string date;  ///< of the first line, "2025-06-10"
  std::vector<PowerSample> samples;
  std::int64_t without_figure = 0;  ///< lines with "[N/A]" and the like
};

/// Reads CSV of `nvidia-smi --query-gpu=timestamp,power.draw,... --format=csv`, with or without
/// header and units, but not without both. `index`: which card, where a log has several. Throws
/// InputError with every problem: no timestamp or power, several cards and no index, time that runs
/// back, cells that are no figure, lines that are cut off.
PowerLog read_power_log(const std::filesystem::path& file, std::optional<std::int64_t> index);

/// How busy the card was in the steady part of a log, as shares of its nominal rates.
struct PowerLoad {
  double compute = 0, memory = 0;
};

/// What one log says of one card.
struct PowerFit {
  std::int64_t samples = 0;  ///< of the steady part
  Watts active, standard_error;
  Seconds lasted;
  std::optional<Watts> idle;  ///< 5th percentile below the threshold; absent: never idle
  perf::Calibration::Power before, after;
};

/// The longest stretch above the middle between the 5th and 95th percentile, without its first and
/// last tenth, is the steady part. Its mean less what compute and memory add by the terms in force
/// is the new active floor; docs/models/power.md. Throws InputError: too few steady samples, power
/// that the card cannot draw, another card, a floor that cannot be.
PowerFit fit_power(const PowerLog& log, const hardware::Gpu& gpu, const PowerLoad& load,
                   const perf::Calibration::Power& in_force);

}  // namespace gpucap::calibrate
