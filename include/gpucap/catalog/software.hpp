#pragma once

#include "gpucap/catalog/json_document.hpp"
#include "gpucap/training/software.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gpucap::catalog {

/// Reads one class of training software. Each figure needs a source in the `sources` of its
/// section. Throws InputError with every problem.
training::Software read_software(JsonDocument document);

/// All known classes of training software, sorted by id.
class SoftwareBook {
 public:
  explicit SoftwareBook(std::vector<training::Software> software);

  [[nodiscard]] const std::vector<training::Software>& all() const { return software_; }
  /// By id; null when there is none.
  [[nodiscard]] const training::Software* find(std::string_view id) const;
  /// What to tell a user who wrote `id`: `unknown training software "tune"; did you mean "tuned"?`
  [[nodiscard]] std::string unknown(std::string_view id) const;

 private:
  std::vector<training::Software> software_;
};

/// Reads calibration/software/*.json below `data_directory`.
SoftwareBook load_software(const std::filesystem::path& data_directory);

/// The class of that id, read without the others; nothing where no file is named so.
std::optional<training::Software> load_software(const std::filesystem::path& data_directory,
                                                const std::string& id);

}  // namespace gpucap::catalog
