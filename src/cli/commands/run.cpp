#include "gpucap/cli/format.hpp"
#include "gpucap/cli/run_kinds.hpp"
#include "gpucap/cli/scenario_commands.hpp"
#include "gpucap/scenario/read.hpp"

#include <fmt/format.h>

namespace gpucap::cli {
namespace {

namespace fs = std::filesystem;

OpenedScenario opened(Arguments& arguments) {
  const fs::path file = arguments.operands()[0];
  std::vector<std::string> set = arguments.texts("set");
  if (const auto own = arguments.text("calibration")) {
    set.push_back(fmt::format("/calibrations={}", fs::absolute(*own).string()));
  }
  if (const auto seed = arguments.count("seed", 0)) set.push_back(fmt::format("/seed={}", *seed));
  return {scenario::open_document(file, set), file.parent_path()};
}

/// Options that say something about requests only; a cluster writes its jobs with --requests.
void refuse_serving_options(Arguments& arguments, scenario::Kind kind) {
  for (const Option& option : serving_run_options()) {
    const bool rows = kind == scenario::Kind::cluster && option.name == "requests";
    if (rows || !arguments.has(option.name)) continue;
    arguments.problem(option.name, "is about requests, and this scenario serves none",
                      "contradiction");
  }
  arguments.throw_if_problems();
}

Exit run(Arguments& arguments, Console& console) {
  format_of(arguments);
  arguments.count("seed", 0);
  check_serving_run(arguments);
  arguments.throw_if_problems();
  OpenedScenario scenario = opened(arguments);
  const scenario::Kind kind = scenario::kind_of(scenario.document);
  if (kind == scenario::Kind::serving) return run_serving(arguments, std::move(scenario), console);
  refuse_serving_options(arguments, kind);
  return kind == scenario::Kind::training ? run_training(arguments, std::move(scenario), console)
                                          : run_cluster(arguments, std::move(scenario), console);
}

}  // namespace

Command run_command() {
  std::vector<Option> options = {
      {"out", "DIR", "write summary, timeline and costs there"},
      {"set", "/POINTER=VALUE", "change one value of the scenario", true},
      {"calibration", "FILE", "own fit of a card, in the place of those that the scenario names"},
      {"seed", "N", "of the random streams"}};
  for (Option& option : serving_run_options()) options.push_back(std::move(option));
  const std::vector<Option> more = {
      {"dry-run", "", "resolve and plan, run nothing"},
      {"dump-resolved", "", "print the scenario with every default and price written out"},
      {"check-laws", "", "say that conservation laws were checked (they always are)"},
      {"strict", "", "exit status 4 when a point failed"},
      format_option()};
  options.insert(options.end(), more.begin(), more.end());
  return {"run",
          "compare the candidate nodes of a scenario file",
          {"gpucap run scenarios/rag-2x4090-vs-1xa100.json --out out/rag"},
          {{"SCENARIO.json"}},
          std::move(options),
          run};
}

}  // namespace gpucap::cli
