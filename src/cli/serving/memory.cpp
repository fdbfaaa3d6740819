#include "gpucap/catalog/data_dir.hpp"
#include "gpucap/cli/format.hpp"
#include "gpucap/cli/scenario_commands.hpp"
#include "gpucap/report/json.hpp"
#include "gpucap/report/run_text.hpp"
#include "gpucap/scenario/study.hpp"

#include <algorithm>

#include "options.hpp"
#include <fmt/format.h>

namespace gpucap::cli {
namespace {

/// Concurrency is that of requests of the given lengths, or of the longest that may be sent.
report::MemoryAnswer answer_of(const evaluate::ServingCase& one, const Arguments& arguments) {
  report::MemoryAnswer answer;
  answer.name = one.name;
  answer.footprint = one.plan.footprint;
  answer.provenance = one.provenance;
  if (answer.footprint.reason.empty()) answer.footprint.reason = one.plan.reason;
  const bool lengths = arguments.has("prompt-tokens") && one.constant_tokens.has_value();
  answer.concurrency_tokens = lengths ? *one.constant_tokens : answer.footprint.max_model_len;
  if (answer.footprint.feasible) {
    answer.largest_context =
        perf::largest_context(answer.footprint.pool, one.plan.question.model.max_positions);
    answer.largest_concurrency =
        std::min(one.plan.rules.max_num_seqs,
                 perf::largest_concurrency(answer.footprint.pool, answer.concurrency_tokens));
  }
  return answer;
}

Exit run(Arguments& arguments, Console& console) {
  const Format format = format_of(arguments);
  scenario::Library library(catalog::data_directory());
  const auto scenario = scenario_from(arguments, LoadNeed::optional, library);
  report::MemoryAnswer answer;
  try {
    const auto loads = scenario::plan_study(scenario, library);
    const evaluate::ServingCase& one = loads[0].cases[0];
    answer = answer_of(one, arguments);
  } catch (const InputError& error) {
    throw in_words_of_options(error);
  }
  if (format == Format::json) {
    console.print(report::memory_json(answer));
  } else {
    print_cells(report::memory_details(answer), format, console);
  }
  const auto& footprint = answer.footprint;
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
