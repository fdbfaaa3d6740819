#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace gpucap::catalog {

/// Paths of the *.json files in a folder, sorted by name; a missing folder is an InputError.
std::vector<std::string> json_files(const std::filesystem::path& folder);

}  // namespace gpucap::catalog
