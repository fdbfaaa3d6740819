#include "options_reader.hpp"

namespace gpucap::validate {

scenario::Options read_options(catalog::ObjectReader& parent, std::string_view key) {
  scenario::Options options;
  auto object = parent.object(key);
  if (!object) return options;
  for (const std::string& option : object->keys()) {
    options.emplace_back(option, object->text(option).value_or(""));
  }
  return options;
}

}  // namespace gpucap::validate
