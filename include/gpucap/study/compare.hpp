#pragma once

#include "gpucap/evaluate/outcome.hpp"

#include <cstddef>
#include <optional>
#include <span>
#include <string>

namespace gpucap::study {

/// Positions of the best candidates of one load; absent where no candidate qualifies.
struct Winners {
  std::optional<std::size_t> cost;     ///< least cost per million output tokens
  std::optional<std::size_t> latency;  ///< least e2e p95
  std::optional<std::size_t> energy;   ///< least joules per output token
};

/// May it win at all: feasible, not overloaded, and within the SLO where one is given.
bool eligible(const evaluate::Outcome& outcome);

/// Best of the eligible candidates by each criterion. A candidate whose value does not exist never
/// wins; of equals the one with the lower e2e p95 does, then the first listed.
Winners winners(std::span<const evaluate::Outcome> candidates);

/// The eligible candidate that is next in cost per output token after `winner`.
std::optional<std::size_t> runner_up(std::span<const evaluate::Outcome> candidates,
                                     std::size_t winner);

/// Cost per output token over that of the cheapest; absent when either does not exist or the
/// outcome is not eligible.
std::optional<double> relative_cost(const evaluate::Outcome& outcome,
                                    const evaluate::Outcome* cheapest);

/// One line that says why `outcome` is not the cheapest choice, e.g. "link: ttft_p95 2.70 s > 2 s".
/// `cheapest` is the winner by cost, or null.
std::string why_not(const evaluate::Outcome& outcome, const evaluate::Outcome* cheapest);

}  // namespace gpucap::study
