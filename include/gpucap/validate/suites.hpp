#pragma once

#include "gpucap/scenario/library.hpp"
#include "gpucap/validate/suite_report.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace gpucap::validate {

/// What every suite reads.
struct Inputs {
  std::filesystem::path data_dir;               ///< the shipped data
  std::optional<std::filesystem::path> folder;  ///< `--data`: measured tables; absent: the shipped
};

// The suites throw InputError for folders and files that they cannot read.

/// Served runs by card and load zone; docs/models/validation.md.
SuiteReport serving_suite(const Inputs& inputs, scenario::Library& library);

/// KV pools that engines logged.
SuiteReport memory_suite(const Inputs& inputs, scenario::Library& library);

/// Kernel times on points that no fit has seen.
SuiteReport operators_suite(const Inputs& inputs, scenario::Library& library);

/// Steps of training runs, and whether what ran is said to fit; docs/models/training-time.md.
SuiteReport training_suite(const Inputs& inputs, scenario::Library& library);

/// Names of the suites in the order of `--suite all`.
std::vector<std::string> suite_names();

/// Runs one suite by name. Throws std::logic_error for a name that is not one of suite_names().
SuiteReport run_suite(const std::string& name, const Inputs& inputs, scenario::Library& library);

}  // namespace gpucap::validate
