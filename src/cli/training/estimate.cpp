#include "gpucap/catalog/data_dir.hpp"
#include "gpucap/cli/format.hpp"
#include "gpucap/cli/scenario_commands.hpp"
#include "gpucap/evaluate/training.hpp"
#include "gpucap/report/training.hpp"

#include "options.hpp"
#include <fmt/format.h>

namespace gpucap::cli {
namespace {

evaluate::TrainingOutcome outcome_of(Arguments& arguments) {
  scenario::Library library(catalog::data_directory());
  return evaluate::evaluate(training_case_from(arguments, library));
}

void print_notes(const evaluate::TrainingOutcome& outcome, Console& console) {
  if (outcome.reason) console.note(fmt::format("Reason   {}", *outcome.reason));
  for (const std::string& note : outcome.notes) console.note(fmt::format("Note     {}", note));
  for (const std::string& note : outcome.cost.notes) console.note(fmt::format("Price    {}", note));
}

/// Cures belong to people who read the screen; JSON holds them already.
void print_cures(const evaluate::TrainingOutcome& outcome, Format format, Console& console) {
  const report::Listing cures = report::cure_listing(outcome);
  const bool wanted = format == Format::table || format == Format::markdown;
  if (!wanted || cures.rows.empty()) return;
  console.print("\n");
  print_rows(cures, format, console);
}

Exit estimate(Arguments& arguments, Console& console) {
  const Format format = format_of(arguments);
  const auto outcome = outcome_of(arguments);
  if (format == Format::json) {
    console.print(report::training_json(outcome));
  } else if (format == Format::csv) {
    console.print(report::to_csv(report::training_summary({outcome.name, {}, {outcome}})));
  } else {
    print_cells(report::training_details(outcome), format, console);
  }
  if (!outcome.feasible) print_cures(outcome, format, console);
  print_notes(outcome, console);
  return outcome.feasible ? Exit::done : Exit::nothing_feasible;
}

Exit memory(Arguments& arguments, Console& console) {
  const Format format = format_of(arguments);
  const auto outcome = outcome_of(arguments);
  if (format == Format::json) {
    console.print(report::training_memory_json(outcome));
  } else {
    print_cells(report::training_memory_details(outcome), format, console);
  }
  print_cures(outcome, format, console);
  for (const std::string& note : outcome.notes) console.note(fmt::format("Note     {}", note));
  return outcome.feasible ? Exit::done : Exit::nothing_feasible;
}

std::vector<Option> options() {
  std::vector<Option> all = training_options();
  all.push_back(format_option());
  return all;
}

}  // namespace

Command estimate_training() {
  return {"estimate training",
          "what one training job would do on one node",
          {"gpucap estimate training --model deepseek-llm-67b --gpu a100-sxm-80gb --count 8 "
           "--method lora --search"},
          {},
          options(),
          estimate};
}

Command memory_training() {
  return {"memory training",
          "does a training job fit, and what would make it fit",
          {"gpucap memory training --model llama-2-7b --gpu rtx-4090 --count 4 --zero 3"},
          {},
          options(),
          memory};
}

}  // namespace gpucap::cli
