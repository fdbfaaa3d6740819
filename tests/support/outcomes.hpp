#pragma once

#include "gpucap/evaluate/outcome.hpp"

#include <optional>
#include <string>

namespace gpucap::test {

/// A feasible candidate with the three figures that decide; everything else is absent.
inline evaluate::Outcome candidate(const std::string& name, std::optional<double> cost,
                                   std::optional<double> e2e_p95 = std::nullopt,
                                   std::optional<double> joules = std::nullopt) {
  evaluate::Outcome outcome;
  outcome.name = name;
  outcome.feasible = true;
  outcome.bottleneck = perf::Cause::memory_bandwidth;
  outcome.bottleneck_shares[1] = 1;
  outcome.cost.per_million_output_tokens = cost;
  if (cost) outcome.cost.currency = Currency::parse("EUR");
  outcome.e2e_s.p95 = e2e_p95;
  outcome.energy.joules_per_output_token = joules;
  return outcome;
}

}  // namespace gpucap::test
