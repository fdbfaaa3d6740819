#include "gpucap/validate/suites.hpp"

#include <stdexcept>
#include <utility>

namespace gpucap::validate {
namespace {

using Runner = SuiteReport (*)(const Inputs&, scenario::Library&);

const std::vector<std::pair<std::string, Runner>>& suites() {
  static const std::vector<std::pair<std::string, Runner>> table{{"operators", operators_suite},
                                                                 {"serving", serving_suite},
                                                                 {"memory", memory_suite},
                                                                 {"training", training_suite}};
  return table;
}

}  // namespace

std::vector<std::string> suite_names() {
  std::vector<std::string> names;
  for (const auto& [name, run] : suites()) names.push_back(name);
  return names;
}

SuiteReport run_suite(const std::string& name, const Inputs& inputs, scenario::Library& library) {
  for (const auto& [known, run] : suites()) {
    if (known == name) return run(inputs, library);
  }
  throw std::logic_error("no suite \"" + name + "\"");
}

}  // namespace gpucap::validate
