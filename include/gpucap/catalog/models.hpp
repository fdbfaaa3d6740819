#pragma once

#include "gpucap/models/transformer.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace gpucap::catalog {

/// The models that the project ships, one `<id>.json` each in the form of a Hugging Face
/// config.json. A file is read when its model is asked for, never before.
class ModelBook {
 public:
  /// Throws InputError when the folder cannot be listed.
  explicit ModelBook(std::filesystem::path folder);

  /// In alphabetical order.
  [[nodiscard]] const std::vector<std::string>& ids() const { return ids_; }
  /// Upper and lower case are the same.
  [[nodiscard]] bool knows(const std::string& id) const;
  /// By id, or by path: a name that ends in ".json" or a folder that holds a config.json. Throws
  /// InputError for an unknown name (with the nearest id) and for every fault in the file.
  [[nodiscard]] models::Transformer find(const std::string& name) const;

 private:
  std::filesystem::path folder_;
  std::vector<std::string> ids_;
};

/// Lists `scenarios/models` under the folder of all shipped data.
ModelBook load_models(const std::filesystem::path& data_dir);

/// Reads a Hugging Face config.json. What the file leaves out and what was taken instead stands
/// in `assumed`. Unknown architectures, unknown layer types or quantisation methods, and keys that
/// change shapes without being understood are errors; other keys are legal.
models::Transformer import_config(const std::filesystem::path& file);

}  // namespace gpucap::catalog
