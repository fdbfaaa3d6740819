#include "gpucap/catalog/data_dir.hpp"
#include "gpucap/cli/format.hpp"
#include "gpucap/cli/progress.hpp"
#include "gpucap/cli/scenario_commands.hpp"
#include "gpucap/evaluate/serving.hpp"
#include "gpucap/report/columns.hpp"
#include "gpucap/report/json.hpp"
#include "gpucap/report/run_text.hpp"
#include "gpucap/scenario/draws.hpp"
#include "gpucap/scenario/study.hpp"

#include "options.hpp"
#include <fmt/format.h>

namespace gpucap::cli {
namespace {

void print_notes(const evaluate::Outcome& outcome, Console& console) {
  if (outcome.reason) console.note(fmt::format("Reason   {}", *outcome.reason));
  for (const std::string& note : outcome.notes) console.note(fmt::format("Note     {}", note));
  for (const std::string& note : outcome.cost.notes) console.note(fmt::format("Price    {}", note));
}

Exit run(Arguments& arguments, Console& console) {
  const Format format = format_of(arguments);
  const std::int64_t draws = draws_of(arguments);
  scenario::Library library(catalog::data_directory());
  const auto scenario = scenario_from(arguments, LoadNeed::required, library);
  evaluate::Outcome outcome;
  try {
    scenario::require_simulable(scenario);
    const auto loads = scenario::plan_study(scenario, library);
    outcome = evaluate::evaluate(loads[0].cases[0], requests_of(scenario, loads[0].spec));
    Progress progress(console, static_cast<std::size_t>(draws));
    scenario::add_intervals(scenario, library, draws, {{&outcome, 1}}, [&] { progress.advance(); });
  } catch (const InputError& error) {
    throw in_words_of_options(error);
  }
  if (format == Format::json) {
    console.print(report::outcome_json(outcome));
  } else if (format == Format::csv) {
    console.print(report::to_csv(report::summary({scenario.name, {}, {{"load", {outcome}}}})));
  } else {
    print_cells(report::details(outcome), format, console);
  }
  print_notes(outcome, console);
  return outcome.feasible ? Exit::done : Exit::nothing_feasible;
}

}  // namespace

Command estimate_serving() {
  std::vector<Option> options = node_options();
  const auto more = load_options();
  options.insert(options.end(), more.begin(), more.end());
  options.push_back(draws_option());
  options.push_back(format_option());
  return {"estimate serving",
          "what one node does under one load",
          {"gpucap estimate serving --model llama-3.1-8b --gpu rtx-4090 --prompt-tokens 1500 "
           "--output-tokens 100 --request-rate 2"},
          {},
          std::move(options),
          run};
}

}  // namespace gpucap::cli
