#pragma once

#include "gpucap/calibrate/fit_file.hpp"
#include "gpucap/perf/calibration.hpp"
#include "gpucap/perf/engine_profile.hpp"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace gpucap::calibrate {

/// What samples or logs say of one card: any parts of its fit files, host times of an engine beside
/// it, power.
struct CalibrationFile {
  FittedFile fitted;  ///< card, parts and notes; parts that were not refitted are left out

  struct MeasuredOn {
    std::string name;    ///< of the card
    std::string date;    ///< "2025-06-10"; empty: not known
    std::string method;  ///< "vllm-bench logs"
    /// What else is known, by key of the file: "driver", "runtime", "version", "clock",
    /// "memory_clock", "temperature".
    std::vector<std::pair<std::string, std::string>> more{};
  } measured_on;

  struct Engine {
    std::string id;
    perf::EngineProfile::Host host;
    std::string source;
    std::vector<std::string> identified;  ///< those of its times that were measured here
  };
  std::optional<Engine> engine;

  std::optional<perf::Calibration::Power> power;
};

/// The file that `--calibration` takes: "gpucap-calibration/1". Equal values give equal bytes.
std::string calibration_json(const CalibrationFile& file);

}  // namespace gpucap::calibrate
