#pragma once

#include "gpucap/evaluate/training.hpp"

#include <cstddef>
#include <optional>
#include <span>
#include <string>

namespace gpucap::study {

/// Positions of the best candidates; absent where no candidate qualifies.
struct TrainingWinners {
  std::optional<std::size_t> cost;    ///< least cost of the run; per token or sample without one
  std::optional<std::size_t> time;    ///< most samples per second
  std::optional<std::size_t> energy;  ///< fewest joules per sample
};

/// Best of the feasible candidates by each criterion; of equals the faster, then the first listed.
TrainingWinners winners(std::span<const evaluate::TrainingOutcome> candidates);

/// The figure that the winner by cost is chosen by: of the run where its length is known, else per
/// 1,000 samples.
std::optional<double> cost_of(const evaluate::TrainingOutcome& outcome);

/// The feasible candidate that is next in cost after `winner`.
std::optional<std::size_t> runner_up(std::span<const evaluate::TrainingOutcome> candidates,
                                     std::size_t winner);

/// Cost over that of the cheapest; absent when either does not exist.
std::optional<double> relative_cost(const evaluate::TrainingOutcome& outcome,
                                    const evaluate::TrainingOutcome* cheapest);

}  // namespace gpucap::study
