#include "gpucap/perf/roofline.hpp"
#include "gpucap/scenario/training.hpp"

#include "terms.hpp"
#include <fmt/format.h>

namespace gpucap::scenario {
namespace {

evaluate::TrainingCase plan_one(const TrainingScenario& scenario,
                                const TrainingCandidate& candidate,
                                std::optional<Currency> currency, Library& library) {
  evaluate::TrainingCase one;
  one.name = candidate.name;
  one.question = {scenario.network,   candidate.node,     candidate.layout,
                  candidate.settings, candidate.software, library.calibration(candidate.node.gpu)};
  if (candidate.spec_only) {
    one.question.calibration = perf::roofline(one.question.calibration);
  }
  one.search_batch = candidate.search_batch;
  one.tokens = scenario.tokens;
  one.samples = scenario.samples;
  one.terms = terms_of(scenario, candidate, currency);
  one.provenance = provenance_of(scenario);
  one.notes = candidate.notes;
  const auto stale = price_notes(candidate, as_of(scenario));
  one.notes.insert(one.notes.end(), stale.begin(), stale.end());
  const auto own =
      calibration_notes(library, rented(scenario.candidates), candidate, as_of(scenario));
  one.notes.insert(one.notes.end(), own.begin(), own.end());
  return one;
}

}  // namespace

std::optional<pricing::Date> as_of(const TrainingScenario& scenario) {
  return as_of(scenario, rented(scenario.candidates));
}

std::vector<evaluate::TrainingCase> plan_training(const TrainingScenario& scenario,
                                                  Library& library) {
  const auto currency = currency_of(scenario, rented(scenario.candidates));
  std::vector<evaluate::TrainingCase> cases;
  std::vector<Problem> problems;
  for (const TrainingCandidate& candidate : scenario.candidates) {
    try {
      cases.push_back(plan_one(scenario, candidate, currency, library));
    } catch (const InputError& error) {
      problems.insert(problems.end(), error.problems().begin(), error.problems().end());
    }
  }
  if (!problems.empty()) throw InputError(std::move(problems));
  return cases;
}

}  // namespace gpucap::scenario
