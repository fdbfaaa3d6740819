#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace gpucap::catalog {

/// The folder that holds calibration/, pricing/ and scenarios/:
/// 1. the environment variable GPUCAP_DATA_DIR, which must then name such a folder;
/// 2. else the nearest folder above the executable that holds calibration/, so that a copy of the
///    repository reads its own data;
/// 3. else the source tree that this program was built from.
/// Throws InputError when there is none.
std::filesystem::path data_directory();

/// The same rule with its three inputs as arguments.
std::filesystem::path find_data_directory(const std::optional<std::string>& environment,
                                          const std::filesystem::path& source_tree,
                                          const std::filesystem::path& executable);

}  // namespace gpucap::catalog
