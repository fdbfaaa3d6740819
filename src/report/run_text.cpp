#include "gpucap/report/run_text.hpp"

#include "gpucap/report/columns.hpp"
#include "gpucap/report/text.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace gpucap::report {
namespace {

using evaluate::Outcome;

/// What the table shows of the registry, and what a narrow terminal gives up first. The names of
/// cost columns are matched by their end because they carry the currency.
struct Choice {
  const char* name_ends_with;
  int drop;
};
constexpr Choice choices[] = {
    {"candidate", 0},     {"_per_hour", 0},   {"_per_million_output_tokens", 0},
    {"relative_cost", 3}, {"queue_p95_s", 1}, {"ttft_p95_s", 1},
    {"tpot_p95_s", 4},    {"e2e_p95_s", 2},   {"joules_per_output_token", 5},
    {"slo_met", 0},       {"e2e_n", 6}};

const Column& find(const std::vector<Column>& columns, std::string_view ending) {
  return *std::find_if(columns.begin(), columns.end(),
                       [&](const Column& column) { return column.field.name.ends_with(ending); });
}

/// The two largest causes: "memory_bandwidth 71 %, host 20 %".
std::string limit_text(const Outcome& outcome) {
  if (!outcome.bottleneck) return outcome.feasible ? "-" : "infeasible";
  if (outcome.overloaded) return "overloaded";
  const auto& shares = outcome.bottleneck_shares;
  const auto first = static_cast<std::size_t>(*outcome.bottleneck);
  std::size_t second = first == 0 ? 1 : 0;
  for (std::size_t i = 0; i < perf::cause_count; ++i) {
    if (i != first && shares[i] > shares[second]) second = i;
  }
  const auto part = [&](std::size_t i) {
    return fmt::format("{} {}", perf::name(static_cast<perf::Cause>(i)),
                       shown(number_cell(shares[i]), Shown::percent));
  };
  constexpr double worth_telling = 0.05;
  return shares[second] < worth_telling ? part(first) : part(first) + ", " + part(second);
}

}  // namespace

Table run_table(const LoadReport& load, std::optional<Currency> currency) {
  const auto columns = outcome_columns(currency);
  Table table;
  for (const Choice& choice : choices) {
    const auto& field = find(columns, choice.name_ends_with).field;
    table.columns.push_back(
        {choice.name_ends_with == std::string_view("e2e_n") ? "n" : field.heading,
         is_numeric(field.shown), choice.drop});
  }
  table.columns.push_back({"LIMIT", false, 0});
  for (const Row& row : rows_of(load)) {
    auto& cells = table.rows.emplace_back();
    for (const Choice& choice : choices) {
      const Column& column = find(columns, choice.name_ends_with);
      cells.push_back(shown(column.get(row), column.field.shown));
    }
    cells.push_back(limit_text(*row.outcome));
    table.marked.push_back(row.wins.starts_with("cost"));
  }
  return table;
}

std::string run_text(const RunReport& report, std::optional<std::size_t> width) {
  const auto currency = currency_of(report);
  std::string out;
  for (const std::string& line : report.headline) out += printable(line) + "\n";
  for (const LoadReport& load : report.loads) {
    out += fmt::format("\n{}{}\n{}",
                       load.name.empty() ? "" : "Load     " + printable(load.name) + "\n\n",
                       aligned(run_table(load, currency), width), verdict_text(load));
  }
  return out;
}

std::string run_markdown(const RunReport& report) {
  const auto currency = currency_of(report);
  std::string out = "# " + markdown_text(report.scenario) + "\n\n";
  for (const std::string& line : report.headline) out += markdown_text(line) + "\n";
  for (const LoadReport& load : report.loads) {
    if (!load.name.empty()) out += "\n## " + markdown_text(load.name) + "\n";
    out +=
        "\n" + markdown(run_table(load, currency)) + "\n```text\n" + verdict_text(load) + "```\n";
  }
  return out;
}

std::vector<std::string> run_notes(const RunReport& report) {
  std::vector<std::pair<std::string, std::vector<std::string>>> by_note;
  const auto add = [&](const std::string& note, const std::string& candidate) {
    auto at = std::find_if(by_note.begin(), by_note.end(),
                           [&](const auto& entry) { return entry.first == note; });
    if (at == by_note.end()) at = by_note.insert(at, {note, {}});
    const bool known =
        std::find(at->second.begin(), at->second.end(), candidate) != at->second.end();
    if (!known) at->second.push_back(candidate);
  };
  for (const auto& load : report.loads) {
    for (const auto& outcome : load.candidates) {
      for (const auto& note : outcome.notes) add(note, outcome.name);
      for (const auto& note : outcome.cost.notes) add(note, outcome.name);
    }
  }
  std::vector<std::string> lines;
  for (const auto& [note, candidates] : by_note) {
    std::string names;
    for (const auto& name : candidates) names += (names.empty() ? "" : ", ") + name;
    lines.push_back(printable(names + ": " + note));
  }
  return lines;
}

Listing details(const Outcome& outcome) {
  Listing listing{{{"figure", "FIGURE"}, {"value", "VALUE"}}, {}};
  Row row;
  row.outcome = &outcome;
  for (const Column& column : outcome_columns(outcome.cost.currency)) {
    const Cell value = column.get(row);
    if (std::holds_alternative<std::monostate>(value)) continue;
    listing.rows.push_back({column.field.name, shown(value, column.field.shown)});
  }
  for (const auto& miss : outcome.slo_misses) listing.rows.push_back({"slo_miss", miss});
  for (const auto& [name, ends] : outcome.interval.figures) {
    listing.rows.push_back({fmt::format("{} (80 % of {} draws)", name, outcome.interval.draws),
                            fmt::format("{:.4g} to {:.4g}", ends.first, ends.second)});
  }
  return listing;
}

Listing memory_details(const MemoryAnswer& answer) {
  const auto& footprint = answer.footprint;
  Listing listing{{{"figure", "FIGURE"}, {"value", "VALUE", Shown::plain}}, {}};
  const auto add = [&](std::string name, Cell value) {
    if (std::holds_alternative<std::monostate>(value)) return;
    listing.rows.push_back({std::move(name), std::move(value)});
  };
  add("fits", std::string(footprint.feasible ? "yes" : "no"));
  add("reason", text_cell(footprint.reason));
  add("weights_gib", memory_cell(footprint, &perf::ServingFootprint::weights));
  add("kv_cache_gib", memory_cell(footprint, &perf::ServingFootprint::kv_cache));
  add("activations_gib", memory_cell(footprint, &perf::ServingFootprint::activations));
  add("other_gib", memory_cell(footprint, &perf::ServingFootprint::other));
  add("free_gib", memory_cell(footprint, &perf::ServingFootprint::free));
  for (const auto& [name, bytes] : footprint.terms) {
    add("  " + name + "_gib", number_cell(bytes.in(unit::GiB)));
  }
  if (footprint.kv_cache_tokens > 0) {
    add("kv_cache_tokens", footprint.kv_cache_tokens);
    add("kv_bytes_per_token", footprint.kv_bytes_per_token);
    add("max_model_len", footprint.max_model_len);
    add("largest_context_tokens", answer.largest_context);
    add(fmt::format("concurrency_at_{}_tokens", answer.concurrency_tokens),
        answer.largest_concurrency);
  }
  return listing;
}

}  // namespace gpucap::report
