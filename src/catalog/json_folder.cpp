#include "gpucap/catalog/json_folder.hpp"

#include "gpucap/core/error.hpp"

#include <algorithm>
#include <system_error>

namespace gpucap::catalog {

std::vector<std::string> json_files(const std::filesystem::path& folder) {
  std::error_code fault;
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder, fault)) {
    if (entry.path().extension() == ".json") files.push_back(entry.path().string());
  }
  if (fault) {
    throw InputError(Problem{folder.string(), "", "", "cannot read this folder: " + fault.message(),
                             "unreadable-folder"});
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::optional<std::string> json_file(const std::filesystem::path& folder, const std::string& stem) {
  const std::filesystem::path name(stem + ".json");
  std::error_code absent;
  const bool inside = !name.has_parent_path();  // "../x" names a file elsewhere
  if (!inside || !std::filesystem::is_regular_file(folder / name, absent)) return std::nullopt;
  return (folder / name).string();
}

}  // namespace gpucap::catalog
