#include "gpucap/scenario/settings.hpp"

#include <nlohmann/json.hpp>

namespace gpucap::scenario {

using nlohmann::json;

catalog::JsonDocument document_from(const std::string& name, const std::string& kind,
                                    const std::vector<Setting>& settings) {
  json skeleton = {
      {"format", "gpucap-scenario/1"},
      {"name", name},
      {"workload", {{"kind", kind}}},
      {"candidates", {{{"name", name}, {"node", json::object()}, {"layout", json::object()}}}}};
  if (kind == "serving") skeleton["candidates"][0]["engine"] = json::object();
  for (const Setting& setting : settings) {
    for (const char* section : {"trace", "arrivals", "shared_prefix", "adapters"}) {
      const std::string inside = std::string("/workload/") + section + "/";
      if (setting.pointer.starts_with(inside)) skeleton["workload"][section] = json::object();
    }
  }
  catalog::JsonDocument document("", skeleton.dump());
  for (const Setting& setting : settings) {
    json value = setting.is_text ? json(setting.value) : json::parse(setting.value, nullptr, false);
    if (value.is_discarded()) value = setting.value;
    document.set(setting.pointer, value, setting.option);
  }
  return document;
}

InputError located(const InputError& error, catalog::JsonDocument& document) {
  std::vector<Problem> problems;
  for (const Problem& problem : error.problems()) {
    const bool bare = problem.file.empty() && problem.position.empty();
    if (bare && problem.pointer.starts_with("/")) {
      document.add_problem(problem.pointer, problem.message, problem.code);
      problems.push_back(document.problems().back());
    } else {
      problems.push_back(problem);
    }
  }
  return InputError(std::move(problems));
}

}  // namespace gpucap::scenario
