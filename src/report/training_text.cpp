#include "gpucap/report/text.hpp"
#include "gpucap/report/training.hpp"
#include "gpucap/study/training.hpp"

#include <algorithm>

#include "training_columns.hpp"
#include <fmt/format.h>

namespace gpucap::report {
namespace {

using evaluate::TrainingOutcome;

/// What the table shows of the registry, and what a narrow terminal gives up first.
struct Choice {
  const char* name_ends_with;
  int drop;
};
constexpr Choice choices[] = {
    {"candidate", 0},           {"layout", 2},        {"batch", 5},
    {"needed_gib", 3},          {"step_s", 6},        {"step_error", 5},
    {"tokens_per_s", 0},        {"samples_per_s", 4}, {"mfu", 7},
    {"run_time_s", 1},          {"_per_hour", 0},     {"_run", 0},
    {"_per_million_tokens", 3}, {"relative_cost", 4}, {"joules_per_token", 8}};

const TrainingColumn& find(const std::vector<TrainingColumn>& columns, std::string_view ending) {
  return *std::find_if(columns.begin(), columns.end(), [&](const TrainingColumn& column) {
    return column.field.name.ends_with(ending);
  });
}

bool shows_something(const TrainingColumn& column, const std::vector<TrainingRow>& rows) {
  return std::any_of(rows.begin(), rows.end(), [&](const TrainingRow& row) {
    return !std::holds_alternative<std::monostate>(column.get(row));
  });
}

std::string limit_text(const TrainingOutcome& outcome) {
  if (!outcome.memory) return "cannot be laid out";
  if (!outcome.feasible) return "does not fit";
  if (!outcome.bottleneck) return "-";
  const auto share = outcome.bottleneck_shares[static_cast<std::size_t>(*outcome.bottleneck)];
  return fmt::format("{} {}", perf::name(*outcome.bottleneck),
                     shown(number_cell(share), Shown::percent));
}

Table training_table(const TrainingReport& report) {
  const auto columns = training_columns(currency_of(report));
  const auto rows = rows_of(report);
  std::vector<const TrainingColumn*> chosen;
  Table table;
  for (const Choice& choice : choices) {
    const TrainingColumn& column = find(columns, choice.name_ends_with);
    if (!shows_something(column, rows)) continue;
    chosen.push_back(&column);
    table.columns.push_back({column.field.heading, is_numeric(column.field.shown), choice.drop});
  }
  table.columns.push_back({"LIMIT", false, 0});
  for (const TrainingRow& row : rows) {
    auto& cells = table.rows.emplace_back();
    for (const TrainingColumn* column : chosen) {
      cells.push_back(shown(column->get(row), column->field.shown));
    }
    cells.push_back(limit_text(*row.outcome));
    table.marked.push_back(row.wins.starts_with("cost"));
  }
  return table;
}

std::string cost_text(const TrainingOutcome& outcome) {
  const auto money = [&](std::optional<double> value) {
    return shown(number_cell(value), Shown::money);
  };
  const std::string code = outcome.cost.currency ? std::string(outcome.cost.currency->code()) : "";
  if (outcome.cost.run) return fmt::format("{} {} for the run", money(outcome.cost.run), code);
  if (outcome.cost.per_million_tokens) {
    return fmt::format("{} {} per million tokens", money(outcome.cost.per_million_tokens), code);
  }
  return fmt::format("{} {} per 1000 samples", money(outcome.cost.per_1000_samples), code);
}

/// How far apart two steps may come out by the errors of the models alone.
double doubt(const TrainingOutcome& one, const TrainingOutcome& other) {
  const auto error = [](const TrainingOutcome& outcome) {
    return outcome.step ? outcome.step->relative_error : 0;
  };
  return std::max(error(one), error(other));
}

std::string margin(const TrainingReport& report, std::size_t winner) {
  const auto next = study::runner_up(report.candidates, winner);
  if (!next) return "the only one that qualifies";
  const double own = *study::cost_of(report.candidates[winner]);
  const double other = *study::cost_of(report.candidates[*next]);
  const double below = other > 0 ? 1 - own / other : 0;
  const std::string name = printable(report.candidates[*next].name);
  const double known = doubt(report.candidates[winner], report.candidates[*next]);
  if (below < 0.005) return "as much as " + name;
  const std::string text = fmt::format("{:.0f} % below {}", below * 100, name);
  if (below >= known) return text;
  return text + fmt::format(", a draw: steps are known within {:.0f} %", known * 100);
}

std::string verdict_line(const TrainingReport& report, const study::TrainingWinners& best) {
  if (best.cost) {
    const TrainingOutcome& winner = report.candidates[*best.cost];
    return fmt::format("{}: {}, {}.", printable(winner.name), cost_text(winner),
                       margin(report, *best.cost));
  }
  return best.time ? "no winner by cost: no candidate that fits has a price." : "nothing fits.";
}

std::string other_winners(const TrainingReport& report, const study::TrainingWinners& best) {
  std::string line;
  if (best.time) line = fmt::format("Fastest: {}.", printable(report.candidates[*best.time].name));
  if (best.energy) {
    line += fmt::format("{}Least energy: {}.", line.empty() ? "" : " ",
                        printable(report.candidates[*best.energy].name));
  }
  return line;
}

/// "recompute full + zero 3 would fit, 12.4 s a step".
std::string cure_text(const TrainingOutcome& outcome) {
  const auto& cure = outcome.cures.cheapest;
  if (!outcome.memory) return "";
  if (!cure) return "; no recompute, sharding, offload or smaller batch makes it fit";
  return fmt::format("; fits with {}", cure->what);
}

std::string why_not(const TrainingRow& row) {
  const TrainingOutcome& outcome = *row.outcome;
  if (!outcome.feasible) return outcome.reason.value_or("infeasible") + cure_text(outcome);
  const std::string limit = "; bottleneck " + limit_text(outcome);
  if (!study::cost_of(outcome)) return "price unknown" + limit;
  if (!row.relative_cost) return "nothing to compare its cost with" + limit;
  if (*row.relative_cost < 1.005) return "the same cost" + limit;
  return fmt::format("{:.2f}x the cost", *row.relative_cost) + limit;
}

std::string verdict_text(const TrainingReport& report) {
  const study::TrainingWinners best = study::winners(report.candidates);
  std::string out = "Verdict  " + verdict_line(report, best) + "\n";
  const std::string others = other_winners(report, best);
  if (!others.empty()) out += "         " + others + "\n";
  const char* label = "Others   ";
  for (const TrainingRow& row : rows_of(report)) {
    if (row.wins.starts_with("cost")) continue;
    out += fmt::format("{}{}: {}\n", label, printable(row.outcome->name), printable(why_not(row)));
    label = "         ";
  }
  return out;
}

}  // namespace

std::string training_text(const TrainingReport& report, std::optional<std::size_t> width) {
  std::string out;
  for (const std::string& line : report.headline) out += printable(line) + "\n";
  return out + "\n" + aligned(training_table(report), width) + verdict_text(report);
}

std::string training_markdown(const TrainingReport& report) {
  std::string out = "# " + markdown_text(report.scenario) + "\n\n";
  for (const std::string& line : report.headline) out += markdown_text(line) + "\n";
  return out + "\n" + markdown(training_table(report)) + "\n```text\n" + verdict_text(report) +
         "```\n";
}

std::vector<std::string> training_notes(const TrainingReport& report) {
  std::vector<std::pair<std::string, std::string>> by_note;  // note, candidates
  for (const TrainingOutcome& outcome : report.candidates) {
    std::vector<std::string> notes = outcome.notes;
    notes.insert(notes.end(), outcome.cost.notes.begin(), outcome.cost.notes.end());
    for (const std::string& note : notes) {
      const auto at = std::find_if(by_note.begin(), by_note.end(),
                                   [&](const auto& entry) { return entry.first == note; });
      if (at == by_note.end()) {
        by_note.emplace_back(note, outcome.name);
      } else if (!at->second.ends_with(outcome.name)) {
        at->second += ", " + outcome.name;
      }
    }
  }
  std::vector<std::string> lines;
  for (const auto& [note, names] : by_note) lines.push_back(printable(names + ": " + note));
  return lines;
}

void add_training_files(OutputFolder& folder, const TrainingReport& report) {
  folder.add("summary.csv", to_csv(training_summary(report)));
  folder.add("summary.json", training_json(report));
}

}  // namespace gpucap::report
