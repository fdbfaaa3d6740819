#include "gpucap/study/draws.hpp"

#include "gpucap/core/statistics.hpp"
#include "gpucap/study/compare.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace gpucap::study {
namespace {

using evaluate::Outcome;
using Getter = std::optional<double> (*)(const Outcome&);

/// The figures that get an interval, by their names in summary.csv without the currency.
constexpr std::array figures = std::to_array<std::pair<const char*, Getter>>({
    {"output_tokens_per_s", [](const Outcome& o) { return o.throughput.output_tokens_per_s; }},
    {"makespan_s", [](const Outcome& o) { return o.throughput.makespan_s; }},
    {"queue_p95_s", [](const Outcome& o) { return o.queue_s.p95; }},
    {"ttft_p50_s", [](const Outcome& o) { return o.ttft_s.p50; }},
    {"ttft_p95_s", [](const Outcome& o) { return o.ttft_s.p95; }},
    {"tpot_p50_s", [](const Outcome& o) { return o.tpot_s.p50; }},
    {"tpot_p95_s", [](const Outcome& o) { return o.tpot_s.p95; }},
    {"e2e_p50_s", [](const Outcome& o) { return o.e2e_s.p50; }},
    {"e2e_p95_s", [](const Outcome& o) { return o.e2e_s.p95; }},
    {"cost_run", [](const Outcome& o) { return o.cost.run; }},
    {"cost_per_million_output_tokens",
     [](const Outcome& o) { return o.cost.per_million_output_tokens; }},
    {"energy_kwh", [](const Outcome& o) { return o.energy.kwh; }},
    {"joules_per_output_token", [](const Outcome& o) { return o.energy.joules_per_output_token; }},
    {"kv_cache_tokens",
     [](const Outcome& o) -> std::
                              optional<double> {
                                if (!o.feasible) return std::nullopt;
                                return static_cast<double>(o.memory.kv_cache_tokens);
                              }},
});

constexpr double tail_percent = 100 * (1 - Outcome::Interval::level) / 2;

}  // namespace

void DrawCollector::add(std::span<const Outcome> candidates) {
  ++draws_;
  seen_.resize(candidates.size());
  const Winners best = winners(candidates);
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    Seen& seen = seen_[i];
    seen.qualified += eligible(candidates[i]) ? 1 : 0;
    seen.cheapest += best.cost == i ? 1 : 0;
    seen.fastest += best.latency == i ? 1 : 0;
    seen.least_energy += best.energy == i ? 1 : 0;
    for (const auto& [name, getter] : figures) {
      if (const auto value = getter(candidates[i])) seen.figures[name].push_back(*value);
    }
  }
}

void DrawCollector::write(std::span<Outcome> candidates) const {
  const auto share = [&](std::int64_t count) {
    return static_cast<double>(count) / static_cast<double>(draws_);
  };
  for (std::size_t i = 0; i < seen_.size(); ++i) {
    const Seen& seen = seen_[i];
    Outcome::Interval& interval = candidates[i].interval;
    interval.draws = draws_;
    interval.qualified = share(seen.qualified);
    interval.cheapest = share(seen.cheapest);
    interval.fastest = share(seen.fastest);
    interval.least_energy = share(seen.least_energy);
    for (const auto& [name, values] : seen.figures) {
      std::vector<double> sorted = values;
      std::sort(sorted.begin(), sorted.end());
      interval.figures[name] = {nearest_rank(sorted, tail_percent),
                                nearest_rank(sorted, 100 - tail_percent)};
    }
  }
}

}  // namespace gpucap::study
