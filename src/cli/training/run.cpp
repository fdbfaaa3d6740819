#include "gpucap/catalog/data_dir.hpp"
#include "gpucap/cli/format.hpp"
#include "gpucap/cli/run_kinds.hpp"
#include "gpucap/report/training.hpp"
#include "gpucap/scenario/settings.hpp"
#include "gpucap/scenario/training.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace gpucap::cli {
namespace {

/// What is being compared, in two lines.
std::vector<std::string> headline(const scenario::TrainingScenario& scenario) {
  std::string amount;
  if (scenario.tokens)
    amount = fmt::format(", {:.4g} tokens", static_cast<double>(*scenario.tokens));
  if (scenario.samples) {
    amount = fmt::format(", {:.4g} samples", static_cast<double>(*scenario.samples));
  }
  std::vector<std::string> lines = {
      fmt::format("{}: {}{}", scenario.name, scenario::id_of(scenario.network), amount)};
  if (const auto day = scenario::as_of(scenario)) lines.push_back("Prices as of " + day->text());
  return lines;
}

void print_report(const report::TrainingReport& report, Format format, Console& console) {
  switch (format) {
    case Format::json:
      console.print(report::training_json(report));
      break;
    case Format::csv:
      console.print(report::to_csv(report::training_summary(report)));
      break;
    case Format::markdown:
      console.print(report::training_markdown(report));
      break;
    case Format::table:
      console.print(report::training_text(report, console.width()));
      break;
  }
  for (const std::string& note : report::training_notes(report)) console.note("Note     " + note);
}

std::vector<std::string> write_files(const Arguments& arguments,
                                     const report::TrainingReport& report) {
  const auto out = arguments.text("out");
  if (!out) return {};
  report::OutputFolder folder(*out);
  report::add_training_files(folder, report);
  return folder.commit();
}

}  // namespace

Exit run_training(Arguments& arguments, OpenedScenario opened, Console& console) {
  const Format format = format_of(arguments);
  scenario::Library library(catalog::data_directory());
  const auto scenario = scenario::read_training(opened.document, opened.folder, library);
  if (arguments.has("dump-resolved")) {
    console.print(scenario::dump_resolved(opened.document, scenario));
    return Exit::done;
  }
  std::vector<evaluate::TrainingCase> cases;
  try {
    cases = scenario::plan_training(scenario, library);
  } catch (const InputError& error) {
    throw scenario::located(error, opened.document);
  }
  if (arguments.has("dry-run")) {
    print_rows(scenario::plan_listing(cases), format, console);
    return Exit::done;
  }
  report::TrainingReport report{scenario.name, headline(scenario), {}};
  for (const auto& one : cases) report.candidates.push_back(evaluate::evaluate(one));
  const auto written = write_files(arguments, report);
  print_report(report, format, console);
  if (!written.empty()) {
    console.note(fmt::format("Wrote    {}/ {}", *arguments.text("out"), fmt::join(written, " ")));
  }
  const bool any = std::any_of(report.candidates.begin(), report.candidates.end(),
                               [](const auto& outcome) { return outcome.feasible; });
  return any ? Exit::done : Exit::nothing_feasible;
}

}  // namespace gpucap::cli
