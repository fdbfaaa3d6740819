#include "gpucap/study/compare.hpp"

#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace gpucap::study {
namespace {

using evaluate::Outcome;
using Criterion = std::optional<double> (*)(const Outcome&);

std::optional<double> cost_of(const Outcome& outcome) {
  return outcome.cost.per_million_output_tokens;
}

/// Lower by the criterion; of equals the one that answers sooner.
bool comes_before(const Outcome& one, const Outcome& other, Criterion criterion) {
  const double value = *criterion(one);
  const double best = *criterion(other);
  if (value != best) return value < best;
  return one.e2e_s.p95.value_or(HUGE_VAL) < other.e2e_s.p95.value_or(HUGE_VAL);
}

std::optional<std::size_t> least(std::span<const Outcome> candidates, Criterion criterion,
                                 std::optional<std::size_t> without = std::nullopt) {
  std::optional<std::size_t> best;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    const auto value = criterion(candidates[i]);
    if (i == without || !value || !std::isfinite(*value) || !eligible(candidates[i])) continue;
    if (!best || comes_before(candidates[i], candidates[*best], criterion)) best = i;
  }
  return best;
}

std::string bottleneck_of(const Outcome& outcome) {
  return outcome.bottleneck ? std::string(perf::name(*outcome.bottleneck)) : "unknown";
}

std::string overload(const Outcome& outcome) {
  const std::string reason = outcome.reason.value_or("");
  if (reason.starts_with("overloaded")) return reason;
  return reason.empty() ? "overloaded" : "overloaded: " + reason;
}

std::string missed_limits(const Outcome& outcome) {
  if (outcome.requests.finished == 0 && outcome.reason) return *outcome.reason;
  if (outcome.slo_misses.empty()) return bottleneck_of(outcome) + ": misses the SLO";
  return fmt::format("{}: {}", bottleneck_of(outcome), fmt::join(outcome.slo_misses, ", "));
}

/// A ratio that two decimals would show as 1.00 is told in words instead.
std::string dearer(double ratio) {
  if (ratio == 1) return "the same cost per output token, slower or listed later";
  if (ratio < 1.005) return "less than 0.5 % above in cost per output token";
  return fmt::format("{:.2f}x the cost per output token", ratio);
}

}  // namespace

bool eligible(const Outcome& outcome) {
  return outcome.feasible && !outcome.overloaded && outcome.slo_met.value_or(true);
}

Winners winners(std::span<const Outcome> candidates) {
  return {least(candidates, cost_of),
          least(candidates, [](const Outcome& outcome) { return outcome.e2e_s.p95; }),
          least(candidates,
                [](const Outcome& outcome) { return outcome.energy.joules_per_output_token; })};
}

std::optional<std::size_t> runner_up(std::span<const Outcome> candidates, std::size_t winner) {
  return least(candidates, cost_of, winner);
}

std::optional<double> relative_cost(const Outcome& outcome, const Outcome* cheapest) {
  if (cheapest == nullptr || !eligible(outcome)) return std::nullopt;
  const auto own = cost_of(outcome);
  const auto least_cost = cost_of(*cheapest);
  if (!own || !least_cost || !(*least_cost > 0)) return std::nullopt;
  return *own / *least_cost;
}

std::string why_not(const Outcome& outcome, const Outcome* cheapest) {
  if (!outcome.feasible) return outcome.reason.value_or("infeasible");
  if (outcome.overloaded) return overload(outcome);
  if (!outcome.slo_met.value_or(true)) return missed_limits(outcome);
  const std::string limit = "; bottleneck " + bottleneck_of(outcome);
  if (!cost_of(outcome)) return "price unknown" + limit;
  const auto ratio = relative_cost(outcome, cheapest);
  return (ratio ? dearer(*ratio) : "nothing to compare its cost with") + limit;
}

}  // namespace gpucap::study
