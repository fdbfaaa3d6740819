#include "gpucap/catalog/models.hpp"

#include "gpucap/core/nearest_name.hpp"

#include <algorithm>
#include <cctype>
#include <system_error>

#include "model_config.hpp"

namespace gpucap::catalog {
namespace {
namespace fs = std::filesystem;

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

// A checkpoint's folder names the model; its file is always "config.json".
std::string id_of(const fs::path& file) {
  const auto stem = file.stem().string();
  const auto folder = file.parent_path().filename().string();
  return lower(stem == "config" && !folder.empty() ? folder : stem);
}

std::optional<std::string> architecture_of(ObjectReader& root) {
  const auto names = root.texts("architectures");
  if (names.size() == 1) return names.front();
  root.problem("architectures",
               root.has("architectures") ? "must name one architecture" : "is missing",
               "model-config");
  return std::nullopt;
}

// Our own keys, legal in every file: where the shapes and the published count come from.
void read_provenance(ModelConfig& config, ObjectReader& root) {
  const auto source = root.text("source");
  config.model.source = source.value_or(root.document().file());
  config.model.published_parameters = root.count("gpucap_published_parameters");
  if (config.model.published_parameters) {
    root.required("gpucap_published_source", root.text("gpucap_published_source"));
  }
}

ModelConfig open_config(JsonDocument& document) {
  ObjectReader root(document);
  auto text = root.has("text_config") ? root.object("text_config") : std::nullopt;
  if (text) return {std::move(*text), std::move(root), {}};
  return {std::move(root), std::nullopt, {}};
}

}  // namespace

models::Transformer import_config(const std::filesystem::path& file) {
  auto document = JsonDocument::read(file.string());
  auto config = open_config(document);
  config.model.id = id_of(file);
  auto& root = config.outer ? *config.outer : config.keys;
  read_provenance(config, root);
  const auto architecture = architecture_of(root);
  if (architecture) {
    const auto before = document.problems().size();
    read_architecture(config, *architecture);
    // An unknown architecture would only raise doubts about each of its keys.
    if (!config.model.layers && document.problems().size() > before) document.throw_if_problems();
    read_quantization(config);
    settle_unread_keys(config);
  }
  document.throw_if_problems();
  return std::move(config.model);
}

ModelBook::ModelBook(std::filesystem::path folder) : folder_(std::move(folder)) {
  std::error_code failure;
  for (const auto& entry : fs::directory_iterator(folder_, failure)) {
    if (entry.path().extension() == ".json") ids_.push_back(entry.path().stem().string());
  }
  if (failure) {
    throw InputError({folder_.string(), "", "", "the models cannot be listed: " + failure.message(),
                      "unreadable-file"});
  }
  std::sort(ids_.begin(), ids_.end());
}

bool ModelBook::knows(const std::string& id) const {
  return std::binary_search(ids_.begin(), ids_.end(), lower(id));
}

models::Transformer ModelBook::find(const std::string& name) const {
  if (knows(name)) return import_config(folder_ / (lower(name) + ".json"));
  const fs::path path(name);
  if (path.extension() == ".json") return import_config(path);
  std::error_code ignored;
  if (fs::is_regular_file(path / "config.json", ignored)) {
    return import_config(path / "config.json");
  }
  if (fs::is_regular_file(folder_.parent_path() / "convnets" / (lower(name) + ".json"), ignored)) {
    throw InputError({"", "", "",
                      name +
                          " is a convolution net: \"models show\" has its size and work, serving "
                          "it is not simulated",
                      "not-simulated"});
  }
  throw InputError({"", "", "", unknown_name("model", name, ids_), "unknown-name"});
}

ModelBook load_models(const std::filesystem::path& data_dir) {
  return ModelBook(data_dir / "scenarios" / "models");
}

}  // namespace gpucap::catalog
