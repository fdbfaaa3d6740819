#include "gpucap/catalog/data_dir.hpp"
#include "gpucap/cli/format.hpp"
#include "gpucap/cli/scenario_commands.hpp"
#include "gpucap/report/json.hpp"
#include "gpucap/report/run_text.hpp"
#include "gpucap/scenario/study.hpp"

#include "options.hpp"
#include <fmt/format.h>

namespace gpucap::cli {
namespace {

Exit run(Arguments& arguments, Console& console) {
  const Format format = format_of(arguments);
  scenario::Library library(catalog::data_directory());
  const auto scenario = scenario_from(arguments, LoadNeed::optional, library);
  report::MemoryAnswer answer;
  try {
    const auto loads = scenario::plan_study(scenario, library);
    const evaluate::ServingCase& one = loads[0].cases[0];
    answer = {one.name, one.plan.footprint, one.provenance};
    if (answer.footprint.reason.empty()) answer.footprint.reason = one.plan.reason;
  } catch (const InputError& error) {
    throw in_words_of_options(error);
  }
  if (format == Format::json) {
    console.print(report::memory_json(answer));
  } else {
    print_cells(report::memory_details(answer), format, console);
  }
  const auto& footprint = answer.footprint;
  if (!footprint.reason.empty()) console.note(fmt::format("Reason   {}", footprint.reason));
  for (const std::string& note : footprint.notes) console.note(fmt::format("Note     {}", note));
  return footprint.feasible ? Exit::done : Exit::nothing_feasible;
}

}  // namespace

Command memory_serving() {
  std::vector<Option> options = node_options();
  for (const Option& option : load_options()) options.push_back(option);
  options.push_back(format_option());
  return {"memory serving",
          "does it fit, why not, and how much KV cache is left",
          {"gpucap memory serving --model llama-3.1-8b --gpu rtx-4090"},
          {},
          std::move(options),
          run};
}

}  // namespace gpucap::cli
