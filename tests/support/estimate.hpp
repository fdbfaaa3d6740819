#pragma once

#include "gpucap/evaluate/serving.hpp"
#include "gpucap/scenario/library.hpp"
#include "gpucap/scenario/read.hpp"
#include "gpucap/scenario/settings.hpp"
#include "gpucap/scenario/study.hpp"

#include <string>
#include <utility>
#include <vector>

/// `gpucap estimate serving` without its command line: the shipped data, read and planned by the
/// same code.
namespace gpucap::test {

/// Places in a scenario of one candidate and what to write there.
using Options = std::vector<std::pair<std::string, std::string>>;

inline Options operator+(Options all, const Options& more) {
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

inline Options node(const std::string& model, const std::string& gpu, const std::string& engine) {
  return {{"/workload/model", model},
          {"/candidates/0/node/gpu", gpu},
          {"/candidates/0/engine/kind", engine}};
}

/// `cards` of the node, joined by `layout` ("tensor_parallel", "pipeline_parallel", "replicas").
inline Options split(const std::string& layout, int cards) {
  return {{"/candidates/0/node/count", std::to_string(cards)},
          {"/candidates/0/layout/" + layout, std::to_string(cards)}};
}

inline Options option(const std::string& name, const std::string& value) {
  return {{"/candidates/0/engine/" + name, value}};
}

/// Equal requests; each of `clients` sends its next one when the last is answered.
inline Options clients(int count, int requests, int prompt, int output) {
  return {{"/workload/prompt_tokens", std::to_string(prompt)},
          {"/workload/output_tokens", std::to_string(output)},
          {"/workload/requests", std::to_string(requests)},
          {"/workload/arrivals/kind", "closed-loop"},
          {"/workload/arrivals/clients", std::to_string(count)}};
}

inline scenario::Library& library() {
  static scenario::Library shipped(GPUCAP_SOURCE_DIR);
  return shipped;
}

inline scenario::Scenario scenario_of(const Options& options) {
  std::vector<scenario::Setting> settings;
  for (const auto& [pointer, value] : options) {
    settings.push_back({pointer, pointer, value, false});
  }
  auto document = scenario::document_from("test", "serving", settings);
  return scenario::read_scenario(document, "", library());
}

inline evaluate::ServingCase case_of(const scenario::Scenario& scenario) {
  return scenario::plan_study(scenario, library()).at(0).cases.at(0);
}

inline evaluate::Outcome outcome_of(const scenario::Scenario& scenario,
                                    const std::vector<record::Sink*>& sinks = {}) {
  scenario::require_simulable(scenario);
  const auto loads = scenario::plan_study(scenario, library());
  return evaluate::evaluate(loads.at(0).cases.at(0), requests_of(scenario, loads.at(0).spec),
                            sinks);
}

inline evaluate::Outcome estimate(const Options& options,
                                  const std::vector<record::Sink*>& sinks = {}) {
  return outcome_of(scenario_of(options), sinks);
}

}  // namespace gpucap::test
