#pragma once

#include "gpucap/scenario/options.hpp"
#include "gpucap/validate/errors.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace gpucap::validate {

/// One measured figure of a served run.
struct Measured {
  std::string metric;     ///< throughput, ttft, tpot, e2e
  std::string statistic;  ///< "out tok/s", "total tok/s", "req/s"; "p50", "mean", ..., "itl mean"
  double value = 0;       ///< per second, or seconds
};

/// A measured run and the options with which `gpucap estimate serving` repeats it: hardware, model,
/// formats, engine settings, arrivals and lengths are all in the options.
struct ServingCase {
  std::string source;  ///< short name of the publication: "iog"
  std::string id;      ///< of the row
  scenario::Options options;
  std::vector<Measured> measured;
  bool calibration = false;
  std::vector<std::string> remarks;  ///< what was assumed or how the row was treated, and causes
};

/// What a folder of measured runs holds: those that can be predicted and those that cannot.
struct ServingCases {
  std::vector<ServingCase> cases;
  std::vector<Skipped> skipped;
};

/// Reads the published runs that the project ships: calibration/validation/published below
/// `data_dir`. Throws InputError.
ServingCases shipped_serving_cases(const std::filesystem::path& data_dir);

/// Reads FOLDER/serving/*.csv by the rules of calibration/validation/sources.json below `data_dir`.
/// A file that is not there is left out and said in `skipped`. Throws InputError for a folder
/// without any of them and for damaged files (file and line).
ServingCases measured_serving_cases(const std::filesystem::path& folder,
                                    const std::filesystem::path& data_dir);

}  // namespace gpucap::validate
