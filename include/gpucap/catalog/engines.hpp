#pragma once

#include "gpucap/catalog/json_document.hpp"
#include "gpucap/perf/engine_profile.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gpucap::catalog {

/// Reads one engine profile. Each figure needs a source in the `sources` of its section. Throws
/// InputError with every problem.
perf::EngineProfile read_engine(JsonDocument document);

/// All known engines, sorted by id.
class EngineBook {
 public:
  explicit EngineBook(std::vector<perf::EngineProfile> engines);

  [[nodiscard]] const std::vector<perf::EngineProfile>& all() const { return engines_; }
  /// By id; null when there is none.
  [[nodiscard]] const perf::EngineProfile* find(std::string_view id) const;
  /// What to tell a user who wrote `id`: `unknown engine "vllm-0.18"; did you mean "vllm-0.19"?`
  [[nodiscard]] std::string unknown(std::string_view id) const;

 private:
  std::vector<perf::EngineProfile> engines_;
};

/// Reads calibration/engines/*.json below `data_directory`.
EngineBook load_engines(const std::filesystem::path& data_directory);

/// The engine of that id, read without the others; nothing where no file is named so.
std::optional<perf::EngineProfile> load_engine(const std::filesystem::path& data_directory,
                                               const std::string& id);

}  // namespace gpucap::catalog
