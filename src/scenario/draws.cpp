#include "gpucap/scenario/draws.hpp"

#include "gpucap/scenario/study.hpp"
#include "gpucap/study/draws.hpp"

namespace gpucap::scenario {

void add_intervals(const Scenario& scenario, Library& library, std::int64_t draws,
                   const std::vector<std::span<evaluate::Outcome>>& loads,
                   const std::function<void()>& after_point) {
  if (draws == 0) return;
  std::vector<study::DrawCollector> collectors(loads.size());
  for (std::int64_t index = 0; index < draws; ++index) {
    const perf::Draw draw{scenario.seed, index};
    const auto planned = plan_study(scenario, library, &draw);
    for (std::size_t i = 0; i < planned.size(); ++i) {
      std::vector<evaluate::Outcome> candidates;
      for (const evaluate::ServingCase& one : planned[i].cases) {
        candidates.push_back(
            evaluate::evaluate(one, requests_of(scenario, planned[i].spec, &draw)));
        after_point();
      }
      collectors[i].add(candidates);
    }
  }
  for (std::size_t i = 0; i < loads.size(); ++i) collectors[i].write(loads[i]);
}

}  // namespace gpucap::scenario
