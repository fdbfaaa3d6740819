#pragma once

#include "gpucap/catalog/json_document.hpp"
#include "gpucap/hardware/gpu.hpp"

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gpucap::catalog {

/// A spec sheet and the other names under which people ask for the card.
struct GpuSheet {
  hardware::Gpu gpu;
  std::vector<std::string> aliases;
};

/// Reads one spec file (docs of the keys: hardware::Gpu). Throws InputError with every problem.
GpuSheet read_gpu(JsonDocument document);

/// All known cards, sorted by id.
class GpuBook {
 public:
  /// Two sheets that share a name throw InputError.
  explicit GpuBook(std::vector<GpuSheet> sheets);

  [[nodiscard]] const std::vector<hardware::Gpu>& all() const { return gpus_; }
  /// By id or alias, ignoring case; null when there is none. Never a guess: "a100" is no card.
  [[nodiscard]] const hardware::Gpu* find(std::string_view name) const;
  /// What to tell a user who wrote `name`: `unknown GPU "4090"; did you mean "rtx-4090"?`, or the
  /// cards that the name could mean.
  [[nodiscard]] std::string unknown(std::string_view name) const;

 private:
  std::vector<hardware::Gpu> gpus_;
  std::map<std::string, std::size_t, std::less<>> by_name_;
};

/// Reads calibration/specs/*.json below `data_directory`.
GpuBook load_gpus(const std::filesystem::path& data_directory);

/// The card of that id (ignoring case), its sheet read without the others; nothing where no sheet
/// is named so, which says nothing of aliases.
std::optional<hardware::Gpu> load_gpu(const std::filesystem::path& data_directory,
                                      std::string_view id);
/// Ids of all cards, in order; no sheet is read.
std::vector<std::string> gpu_ids(const std::filesystem::path& data_directory);

}  // namespace gpucap::catalog
