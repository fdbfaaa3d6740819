#include "gpucap/catalog/fact.hpp"

namespace gpucap::catalog {
namespace {

void report_missing(ObjectReader& object, std::string_view key) {
  object.required(key, std::optional<std::string>());
}

}  // namespace

FactReader::FactReader(ObjectReader cell) : cell_(std::move(cell)) {
  static const std::vector<std::pair<std::string, std::string>> kinds = {{"source", "source"},
                                                                         {"measured", "measured"},
                                                                         {"derived", "derived"},
                                                                         {"assumed", "assumed"}};
  if (cell_.raw("value") == nullptr) report_missing(cell_, "value");
  fact_.kind = cell_.required("kind", cell_.choice("kind", "kind of fact", kinds));
  fact_.source = cell_.required("source", cell_.text("source"));
  if (cell_.has("source") && fact_.source.empty()) {
    cell_.problem("source", "must say where the value comes from", "missing-source");
  }
  cell_.finish();
}

std::optional<FactReader> FactReader::optional(ObjectReader& parent, std::string_view key) {
  auto cell = parent.object(key);
  if (!cell) return std::nullopt;
  return FactReader(std::move(*cell));
}

std::optional<FactReader> FactReader::required(ObjectReader& parent, std::string_view key) {
  auto fact = optional(parent, key);
  if (!parent.has(key)) report_missing(parent, key);
  return fact;
}

}  // namespace gpucap::catalog
