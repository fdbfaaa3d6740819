#pragma once

#include "gpucap/catalog/json_document.hpp"
#include "gpucap/cli/arguments.hpp"
#include "gpucap/cli/command.hpp"
#include "gpucap/cli/console.hpp"

#include <filesystem>
#include <vector>

namespace gpucap::cli {

/// A scenario file with its includes and --set values, and the folder of its paths.
struct OpenedScenario {
  catalog::JsonDocument document;
  std::filesystem::path folder;
};

// `gpucap run`, by the kind of the scenario's workload.
Exit run_serving(Arguments& arguments, OpenedScenario opened, Console& console);
Exit run_cluster(Arguments& arguments, OpenedScenario opened, Console& console);
Exit run_training(Arguments& arguments, OpenedScenario opened, Console& console);

/// Options of `run` that are about requests, and what is wrong with them.
std::vector<Option> serving_run_options();
void check_serving_run(Arguments& arguments);

}  // namespace gpucap::cli
