#pragma once

#include "gpucap/evaluate/serving.hpp"
#include "gpucap/record/sink.hpp"
#include "gpucap/scenario/library.hpp"
#include "gpucap/scenario/scenario.hpp"
#include "gpucap/validate/serving_case.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gpucap::validate {

/// How loaded a run is; errors of different zones say different things and are never averaged.
enum class Zone : std::uint8_t { light, knee, saturated, kv_bound };

constexpr std::string_view name(Zone zone) {
  constexpr std::string_view names[] = {"light", "knee", "saturated", "KV-bound"};
  return names[static_cast<std::size_t>(zone)];
}

/// The zone of a simulated run. KV-bound: more than 1 % of the requests lost their blocks, or the
/// head of the queue waited for blocks in more than 5 % of the time. Otherwise by `load`, offered
/// over possible requests per second: light below 0.7, knee up to 0.95, saturated above.
Zone zone_of(const evaluate::Outcome& outcome, double load);
bool kv_bound(const evaluate::Outcome& outcome);

/// What `gpucap estimate serving` says of a case.
struct Prediction {
  evaluate::Outcome outcome;
  Zone zone = Zone::light;
  std::optional<double> load;  ///< offered over possible requests per second; not where KV-bound
  std::string refusal;         ///< why there is no outcome; empty when there is one
};

/// A change of the planned case before it runs, for ablations: fitted numbers or engine settings.
using Change = std::function<void(plan::ServingQuestion&)>;

/// A case as `gpucap estimate serving` would run it.
struct PlannedCase {
  scenario::Scenario asked;
  evaluate::ServingCase serving_case;
};

/// Reads and plans options by the code that reads a user's options. Throws InputError for what they
/// do not allow.
PlannedCase plan_case(const scenario::Options& options, scenario::Library& library,
                      const Change& change = {});
/// The same for plans that can be sized but not simulated.
PlannedCase plan_only(const scenario::Options& options, scenario::Library& library,
                      const Change& change = {});

/// Runs the planned case under its load.
evaluate::Outcome run_case(const PlannedCase& planned,
                           const std::vector<record::Sink*>& sinks = {});

/// Runs every case on all processors and returns them in the order of the cases. What is refused
/// carries the reason.
std::vector<Prediction> predict(const std::vector<ServingCase>& cases, scenario::Library& library);

/// The predicted value of a measured figure, in its unit; nothing where the run has none.
std::optional<double> predicted_value(const evaluate::Outcome& outcome, const Measured& measured);

}  // namespace gpucap::validate
