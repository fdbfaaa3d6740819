#pragma once

#include "gpucap/cli/console.hpp"

#include <filesystem>

namespace gpucap::cli {

/// Constants of training software from the folder of measured runs: written to a file, errors
/// printed.
void fit_training_software(const std::filesystem::path& tables, const std::filesystem::path& out,
                           Console& console);

}  // namespace gpucap::cli
