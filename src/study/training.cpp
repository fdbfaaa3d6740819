#include "gpucap/study/training.hpp"

#include <cmath>

namespace gpucap::study {
namespace {

using evaluate::TrainingOutcome;
using Criterion = std::optional<double> (*)(const TrainingOutcome&);

double speed(const TrainingOutcome& outcome) {
  return outcome.throughput.samples_per_s.value_or(0);
}

std::optional<double> time_per_sample(const TrainingOutcome& outcome) {
  return speed(outcome) > 0 ? std::optional(1 / speed(outcome)) : std::nullopt;
}

std::optional<std::size_t> least(std::span<const TrainingOutcome> candidates, Criterion criterion,
                                 std::optional<std::size_t> without = std::nullopt) {
  std::optional<std::size_t> best;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    const auto value = criterion(candidates[i]);
    if (i == without || !value || !std::isfinite(*value) || !candidates[i].feasible) continue;
    const auto own = best ? criterion(candidates[*best]) : std::nullopt;
    const bool better = !own || *value < *own ||
                        (*value == *own && speed(candidates[i]) > speed(candidates[*best]));
    if (better) best = i;
  }
  return best;
}

}  // namespace

std::optional<double> cost_of(const TrainingOutcome& outcome) {
  return outcome.cost.run ? outcome.cost.run : outcome.cost.per_1000_samples;
}

TrainingWinners winners(std::span<const TrainingOutcome> candidates) {
  return {least(candidates, cost_of), least(candidates, time_per_sample),
          least(candidates,
                [](const TrainingOutcome& outcome) { return outcome.energy.joules_per_sample; })};
}

std::optional<std::size_t> runner_up(std::span<const TrainingOutcome> candidates,
                                     std::size_t winner) {
  return least(candidates, cost_of, winner);
}

std::optional<double> relative_cost(const TrainingOutcome& outcome,
                                    const TrainingOutcome* cheapest) {
  if (cheapest == nullptr || !outcome.feasible) return std::nullopt;
  const auto own = cost_of(outcome);
  const auto least_cost = cost_of(*cheapest);
  if (!own || !least_cost || !(*least_cost > 0)) return std::nullopt;
  return *own / *least_cost;
}

}  // namespace gpucap::study
