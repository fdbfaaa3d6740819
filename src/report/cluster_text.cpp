#include "gpucap/report/text.hpp"

#include <algorithm>
#include <cmath>

#include "cluster_columns.hpp"
#include <fmt/format.h>

namespace gpucap::report {
namespace {

using evaluate::ClusterOutcome;
using Criterion = std::optional<double> (*)(const ClusterOutcome&);

bool eligible(const ClusterOutcome& outcome) {
  return !outcome.unstable && outcome.finished == outcome.submitted && outcome.cut == 0;
}

std::optional<std::size_t> least(const PolicyReport& report, Criterion criterion) {
  std::optional<std::size_t> best;
  for (std::size_t i = 0; i < report.candidates.size(); ++i) {
    const auto value = criterion(report.candidates[i]);
    if (!value || !eligible(report.candidates[i])) continue;
    if (!best || *value < *criterion(report.candidates[*best])) best = i;
  }
  return best;
}

/// What the table shows of the registry, and what a narrow terminal gives up first.
struct Choice {
  const char* name_ends_with;
  int drop;
};
constexpr Choice choices[] = {{"candidate", 0},      {"gpus", 1},        {"offered_load", 2},
                              {"queue_mean_s", 3},   {"queue_p50_s", 5}, {"queue_p90_s", 4},
                              {"queue_p99_s", 6},    {"makespan_s", 0},  {"allocated_share", 7},
                              {"gpu_hours_lost", 9}, {"_per_hour", 3},   {"_run", 0},
                              {"_per_job", 8},       {"energy_kwh", 2}};

const ClusterColumn& find(const std::vector<ClusterColumn>& columns, std::string_view ending) {
  return *std::find_if(columns.begin(), columns.end(), [&](const ClusterColumn& column) {
    return column.field.name.ends_with(ending);
  });
}

std::string state_text(const ClusterOutcome& outcome) {
  if (outcome.unstable) return "unstable";
  if (outcome.cut > 0) return fmt::format("{} jobs cut at their limit", outcome.cut);
  if (outcome.finished == outcome.submitted) return "ok";
  return fmt::format("{} of {} jobs finished", outcome.finished, outcome.submitted);
}

Table policy_table(const PolicyReport& policy, std::optional<Currency> currency) {
  const auto columns = cluster_columns(currency);
  Table table;
  for (const Choice& choice : choices) {
    const auto& field = find(columns, choice.name_ends_with).field;
    table.columns.push_back({field.heading, is_numeric(field.shown), choice.drop});
  }
  table.columns.push_back({"STATE", false, 0});
  const auto winner = cheapest(policy);
  for (std::size_t i = 0; i < policy.candidates.size(); ++i) {
    const ClusterOutcome& outcome = policy.candidates[i];
    auto& cells = table.rows.emplace_back();
    for (const Choice& choice : choices) {
      const ClusterColumn& column = find(columns, choice.name_ends_with);
      cells.push_back(shown(column.get({policy.policy, &outcome}), column.field.shown));
    }
    cells.push_back(state_text(outcome));
    table.marked.push_back(winner == i);
  }
  return table;
}

/// ", 2 % below B, a draw: speeds are known within 10 %", or nothing without a second.
std::string margin(const PolicyReport& policy, std::size_t winner) {
  PolicyReport others = policy;
  others.candidates.erase(others.candidates.begin() + static_cast<std::ptrdiff_t>(winner));
  const auto next = cheapest(others);
  if (!next) return "";
  const ClusterOutcome& own = policy.candidates[winner];
  const ClusterOutcome& other = others.candidates[*next];
  const double below = *other.cost.run > 0 ? 1 - *own.cost.run / *other.cost.run : 0;
  const double known = std::max(own.speed_error, other.speed_error);
  std::string text = fmt::format(", {:.0f} % below {}", below * 100, printable(other.name));
  if (below < known) text += fmt::format(", a draw: speeds are known within {:.0f} %", known * 100);
  return text;
}

std::string winner_line(const PolicyReport& policy) {
  std::vector<std::string> parts;
  const auto add = [&](const char* what, std::optional<std::size_t> winner) {
    if (winner) {
      parts.push_back(fmt::format("{}: {}.", what, printable(policy.candidates[*winner].name)));
    }
  };
  if (const auto winner = cheapest(policy)) {
    parts.push_back(fmt::format("Cheapest: {}{}.", printable(policy.candidates[*winner].name),
                                margin(policy, *winner)));
  }
  add("Shortest waits", quickest(policy));
  add("Least energy", thriftiest(policy));
  std::string line;
  for (const std::string& part : parts) line += (line.empty() ? "" : " ") + part;
  return line.empty() ? "no cluster is stable and finishes every job." : line;
}

std::string verdict(const PolicyReport& policy) {
  std::string out = "Verdict  " + winner_line(policy) + "\n";
  for (const ClusterOutcome& outcome : policy.candidates) {
    if (!outcome.reason) continue;
    out += fmt::format("         {}: {}\n", printable(outcome.name), printable(*outcome.reason));
  }
  return out;
}

}  // namespace

std::optional<std::size_t> cheapest(const PolicyReport& report) {
  return least(report, [](const ClusterOutcome& outcome) { return outcome.cost.run; });
}

std::optional<std::size_t> quickest(const PolicyReport& report) {
  return least(report, [](const ClusterOutcome& outcome) { return outcome.queue_s.mean; });
}

std::optional<std::size_t> thriftiest(const PolicyReport& report) {
  return least(report, [](const ClusterOutcome& outcome) { return outcome.energy.kwh; });
}

std::string cluster_text(const ClusterReport& report, std::optional<std::size_t> width) {
  const auto currency = currency_of(report);
  std::string out;
  for (const std::string& line : report.headline) out += printable(line) + "\n";
  for (const PolicyReport& policy : report.policies) {
    out += fmt::format("\nPolicy   {}\n\n{}{}", printable(policy.policy),
                       aligned(policy_table(policy, currency), width), verdict(policy));
  }
  return out;
}

std::string cluster_markdown(const ClusterReport& report) {
  const auto currency = currency_of(report);
  std::string out = "# " + markdown_text(report.scenario) + "\n\n";
  for (const std::string& line : report.headline) out += markdown_text(line) + "\n";
  for (const PolicyReport& policy : report.policies) {
    out += "\n## " + markdown_text(policy.policy) + "\n\n" +
           markdown(policy_table(policy, currency)) + "\n```text\n" + verdict(policy) + "```\n";
  }
  return out;
}

std::vector<std::string> cluster_notes(const ClusterReport& report) {
  std::vector<std::string> lines;
  const auto add = [&](const std::string& name, const std::vector<std::string>& notes) {
    for (const std::string& note : notes) {
      const std::string line = printable(name + ": " + note);
      if (std::find(lines.begin(), lines.end(), line) == lines.end()) lines.push_back(line);
    }
  };
  for (const PolicyReport& policy : report.policies) {
    for (const ClusterOutcome& outcome : policy.candidates) {
      add(outcome.name, outcome.notes);
      add(outcome.name, outcome.cost.notes);
    }
  }
  return lines;
}

}  // namespace gpucap::report
