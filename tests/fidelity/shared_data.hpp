#pragma once

#include <filesystem>
#include <iostream>
#include <optional>
#include <string>

namespace gpucap::test {

/// A published file beside the repository; absent on most machines, which is said and no failure.
inline std::optional<std::filesystem::path> shared_data(const std::string& file) {
  const auto path = std::filesystem::path(GPUCAP_SOURCE_DIR) / "../shared/data" / file;
  if (std::filesystem::exists(path)) return path;
  std::cout << "skipped: " << file << " is not beside the repository\n";
  return std::nullopt;
}

}  // namespace gpucap::test
