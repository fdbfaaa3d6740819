#include "gpucap/report/columns.hpp"
#include "gpucap/report/run_text.hpp"
#include "gpucap/report/text.hpp"
#include "gpucap/study/compare.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace gpucap::report {
namespace {

using evaluate::Outcome;

std::string cost_per_million(const Outcome& outcome) {
  return fmt::format("{} {} per million output tokens",
                     shown(number_cell(outcome.cost.per_million_output_tokens), Shown::money),
                     outcome.cost.currency ? outcome.cost.currency->code() : "");
}

std::string margin(const LoadReport& load, std::size_t winner) {
  const auto next = study::runner_up(load.candidates, winner);
  if (!next) return "the only one that qualifies";
  const double own = *load.candidates[winner].cost.per_million_output_tokens;
  const double other = *load.candidates[*next].cost.per_million_output_tokens;
  const double below = other > 0 ? 1 - own / other : 0;
  const std::string name = printable(load.candidates[*next].name);
  if (below == 0) return "as much as " + name;
  return fmt::format("{:.{}f} % below {}", below * 100, below < 0.01 ? 2 : 0, name);
}

std::string cheapest_line(const LoadReport& load, const study::Winners& best) {
  if (best.cost) {
    const Outcome& winner = load.candidates[*best.cost];
    return fmt::format("{}: {}, {}.", printable(winner.name), cost_per_million(winner),
                       margin(load, *best.cost));
  }
  const bool any = std::any_of(load.candidates.begin(), load.candidates.end(), study::eligible);
  return any ? "no winner by cost: no candidate that qualifies has a price."
             : "nothing qualifies: every candidate is infeasible, overloaded or misses the SLO.";
}

std::string in_words(double share, std::int64_t draws) {
  return fmt::format("{:.0f} % of {} draws", share * 100, draws);
}

/// How sure the choice is: in how many draws each candidate is the cheapest that qualifies.
std::string certainty(const LoadReport& load) {
  std::vector<const Outcome*> order;
  for (const Outcome& outcome : load.candidates) {
    if (outcome.interval.cheapest > 0) order.push_back(&outcome);
  }
  std::stable_sort(order.begin(), order.end(), [](const Outcome* one, const Outcome* other) {
    return one->interval.cheapest > other->interval.cheapest;
  });
  std::vector<std::string> parts;
  for (const Outcome* outcome : order) {
    parts.push_back(fmt::format("{} in {}", printable(outcome->name),
                                in_words(outcome->interval.cheapest, outcome->interval.draws)));
  }
  return parts.empty() ? "" : fmt::format("Cheapest that qualifies: {}.", fmt::join(parts, ", "));
}

/// "0.52 to 0.71 EUR per million output tokens, qualifies in 97 % of 100 draws".
std::string interval_text(const Outcome& outcome) {
  std::string text;
  const auto& figures = outcome.interval.figures;
  if (const auto cost = figures.find("cost_per_million_output_tokens"); cost != figures.end()) {
    text = fmt::format("{} to {} {} per million output tokens, ",
                       shown(number_cell(cost->second.first), Shown::money),
                       shown(number_cell(cost->second.second), Shown::money),
                       outcome.cost.currency ? outcome.cost.currency->code() : "");
  }
  return text + "qualifies in " + in_words(outcome.interval.qualified, outcome.interval.draws);
}

std::string other_winners(const LoadReport& load, const study::Winners& best) {
  std::string line;
  if (best.latency) {
    line += fmt::format("Lowest latency (e2e p95): {}.",
                        printable(load.candidates[*best.latency].name));
  }
  if (best.energy) {
    const Outcome& winner = load.candidates[*best.energy];
    const bool measured = winner.energy.basis == "measured";
    line += fmt::format("{}Least energy: {}{}.", line.empty() ? "" : " ", printable(winner.name),
                        measured ? "" : " (power " + winner.energy.basis + ", not measured)");
  }
  return line;
}

}  // namespace

std::string verdict_text(const LoadReport& load) {
  const study::Winners best = study::winners(load.candidates);
  std::string out = "Verdict  " + cheapest_line(load, best) + "\n";
  const std::string others = other_winners(load, best);
  if (!others.empty()) out += "         " + others + "\n";
  if (const std::string sure = certainty(load); !sure.empty()) out += "         " + sure + "\n";
  const char* label = "Others   ";
  for (const Row& row : rows_of(load)) {
    if (row.limit.empty()) continue;
    out += fmt::format("{}{}: {}\n", label, printable(row.outcome->name), printable(row.limit));
    label = "         ";
  }
  label = "80 %     ";
  for (const Outcome& outcome : load.candidates) {
    if (outcome.interval.draws == 0) continue;
    out += fmt::format("{}{}: {}\n", label, printable(outcome.name), interval_text(outcome));
    label = "         ";
  }
  return out;
}

}  // namespace gpucap::report
