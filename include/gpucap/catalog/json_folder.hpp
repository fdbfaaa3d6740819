#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace gpucap::catalog {

/// Paths of the *.json files in a folder, sorted by name; a missing folder is an InputError.
std::vector<std::string> json_files(const std::filesystem::path& folder);

/// The file `<stem>.json` of a folder; nothing where it has none of that name.
std::optional<std::string> json_file(const std::filesystem::path& folder, const std::string& stem);

}  // namespace gpucap::catalog
