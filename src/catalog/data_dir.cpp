#include "gpucap/catalog/data_dir.hpp"

#include "gpucap/core/error.hpp"

#include <cstdlib>
#include <system_error>

#include <fmt/format.h>

namespace gpucap::catalog {
namespace {

namespace fs = std::filesystem;

bool holds_data(const fs::path& folder) {
  std::error_code unreadable;
  return fs::is_directory(folder / "calibration", unreadable);
}

InputError fault(std::string message) {
  return InputError(Problem{"", "", "GPUCAP_DATA_DIR", std::move(message), "no-data-directory"});
}

}  // namespace

fs::path find_data_directory(const std::optional<std::string>& environment,
                             const fs::path& source_tree, const fs::path& executable) {
  if (environment && !environment->empty()) {
    if (holds_data(*environment)) return *environment;
    throw fault(fmt::format("\"{}\" holds no folder calibration", *environment));
  }
  fs::path folder = executable.parent_path();
  while (!folder.empty()) {
    if (holds_data(folder)) return folder;
    if (folder == folder.parent_path()) break;
    folder = folder.parent_path();
  }
  if (holds_data(source_tree)) return source_tree;
  throw fault("the shipped data were not found; set it to the folder that holds calibration");
}

fs::path data_directory() {
  const char* set = std::getenv("GPUCAP_DATA_DIR");
  std::error_code unreadable;
  const fs::path executable = fs::read_symlink("/proc/self/exe", unreadable);
  return find_data_directory(set == nullptr ? std::nullopt : std::optional<std::string>(set),
                             GPUCAP_DATA_DIR_DEFAULT, executable);
}

}  // namespace gpucap::catalog
