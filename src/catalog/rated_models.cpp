#include "gpucap/catalog/rated_models.hpp"

#include "gpucap/catalog/json_document.hpp"
#include "gpucap/catalog/json_folder.hpp"

namespace gpucap::catalog {
namespace {

using training::RatedModel;

RatedModel::Rate read_rate(ObjectReader reader) {
  RatedModel::Rate rate;
  rate.global_batch = reader.required("global_batch", reader.count("global_batch"));
  rate.cards = reader.required("cards", reader.count("cards"));
  const auto steps = reader.number("steps_per_second");
  if (steps && *steps <= 0) {
    reader.problem("steps_per_second", "must be above zero", "out-of-range");
  }
  rate.steps = reader.required("steps_per_second", steps) * unit::per_s;
  reader.finish();
  return rate;
}

RatedModel read_rated(const std::filesystem::path& file) {
  auto document = JsonDocument::read(file.string());
  ObjectReader root(document);
  RatedModel model;
  model.id = file.stem().string();
  model.card = root.required("card", root.text("card"));
  model.source = root.required("source", root.text("source"));
  for (ObjectReader& rate : root.objects("rates")) {
    model.rates.push_back(read_rate(std::move(rate)));
  }
  root.finish();
  document.throw_if_problems();
  return model;
}

}  // namespace

std::map<std::string, training::RatedModel> load_rated_models(
    const std::filesystem::path& data_dir) {
  std::map<std::string, RatedModel> models;
  for (const auto& file : json_files(data_dir / "scenarios" / "rated")) {
    auto model = read_rated(file);
    models.emplace(model.id, std::move(model));
  }
  return models;
}

}  // namespace gpucap::catalog
