#include "gpucap/catalog/data_dir.hpp"
#include "gpucap/cli/format.hpp"
#include "gpucap/cli/progress.hpp"
#include "gpucap/cli/run_kinds.hpp"
#include "gpucap/evaluate/serving.hpp"
#include "gpucap/metrics/request_log.hpp"
#include "gpucap/report/columns.hpp"
#include "gpucap/report/files.hpp"
#include "gpucap/report/json.hpp"
#include "gpucap/report/run_text.hpp"
#include "gpucap/scenario/draws.hpp"
#include "gpucap/scenario/dump.hpp"
#include "gpucap/scenario/read.hpp"
#include "gpucap/scenario/settings.hpp"
#include "gpucap/scenario/study.hpp"

#include <algorithm>
#include <optional>
#include <span>

#include "options.hpp"
#include "run_files.hpp"
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace gpucap::cli {
namespace {

struct Prepared {
  catalog::JsonDocument document;
  scenario::Scenario scenario;
  std::vector<scenario::PlannedLoad> loads;
};

Prepared prepare(Arguments& arguments, OpenedScenario opened, scenario::Library& library) {
  catalog::JsonDocument document = std::move(opened.document);
  scenario::Scenario scenario = read_scenario(document, opened.folder, library);
  scenario.stepping = stepping_of(arguments);
  try {
    scenario::require_simulable(scenario);
    auto loads = scenario::plan_study(scenario, library);
    return {std::move(document), std::move(scenario), std::move(loads)};
  } catch (const InputError& error) {
    throw scenario::located(error, document);
  }
}

/// What is being compared, in two lines.
std::vector<std::string> headline(const scenario::Scenario& scenario) {
  std::string requests;
  if (const auto* generated = std::get_if<scenario::Generated>(&scenario.requests)) {
    requests = fmt::format("{} generated requests", generated->requests);
  } else {
    requests = fmt::format(
        "trace {}", std::get<scenario::Replayed>(scenario.requests).file.filename().string());
  }
  const bool one_model = std::none_of(scenario.loads.begin(), scenario.loads.end(),
                                      [](const auto& load) { return load.model.has_value(); });
  const std::string model = one_model ? scenario.model.id + ", " : "";
  std::vector<std::string> lines{
      fmt::format("{}: {}{}, seed {}", scenario.name, model, requests, scenario.seed)};
  if (!scenario.slo.empty()) {
    std::vector<std::string> limits;
    for (const auto& limit : scenario.slo) {
      limits.push_back(fmt::format("{} at most {:g} s", limit.name(), limit.limit.in(unit::s)));
    }
    lines.push_back(fmt::format("Within {}", fmt::join(limits, ", ")));
  }
  if (const auto day = scenario::as_of(scenario)) {
    lines.push_back(fmt::format("Prices as of {}", day->text()));
  }
  return lines;
}

/// Everything that one run writes besides the report itself.
struct Outputs {
  std::optional<report::OutputFolder> folder;
  std::optional<RequestsFile> requests;
  std::vector<report::CostLine> costs;
  std::map<std::string, report::CardPeaks> peaks;
};

void open_outputs(const Arguments& arguments, Outputs& outputs) {
  const auto out = arguments.text("out");
  if (!out) return;
  outputs.folder.emplace(*out);
  if (arguments.has("requests")) outputs.requests.emplace(outputs.folder->aside("requests.csv"));
}

/// One candidate; a fault of the program in it is a failed point, not the end of the run.
evaluate::Outcome evaluate_point(const Prepared& prepared, const scenario::PlannedLoad& load,
                                 const evaluate::ServingCase& one, Outputs& outputs, bool& failed) {
  metrics::RequestLog log([&](const record::RequestRow& row) { outputs.requests->write(row); });
  std::vector<record::Sink*> sinks;
  if (outputs.requests) {
    outputs.requests->begin(load.spec.name, one.name);
    sinks.push_back(&log);
  }
  try {
    return evaluate::evaluate(one, requests_of(prepared.scenario, load.spec), sinks);
  } catch (const InputError&) {
    throw;
  } catch (const std::exception& error) {
    failed = true;
    evaluate::Outcome outcome;
    outcome.name = one.name;
    outcome.reason = fmt::format("failed: {}", error.what());
    return outcome;
  }
}

report::LoadReport evaluate_load(const Prepared& prepared, const scenario::PlannedLoad& load,
                                 Outputs& outputs, Progress& progress, bool& failed) {
  const auto start = scenario::as_of(prepared.scenario).value_or(pricing::Date{1970, 1, 1});
  report::LoadReport found{load.spec.name, {}};
  for (const evaluate::ServingCase& one : load.cases) {
    found.candidates.push_back(evaluate_point(prepared, load, one, outputs, failed));
    const auto lines = cost_lines(load.spec.name, bill(one, found.candidates.back(), start));
    outputs.costs.insert(outputs.costs.end(), lines.begin(), lines.end());
    const auto& question = one.plan.question;
    progress.advance();
    outputs.peaks[one.name] = {question.node.gpu.peak(question.engine.weights.compute),
                               question.node.gpu.memory_bandwidth};
  }
  return found;
}

report::RunReport evaluate_all(const Prepared& prepared, Outputs& outputs, Console& console,
                               scenario::Library& library, std::int64_t draws, bool& failed) {
  const std::size_t points = prepared.loads.size() * prepared.scenario.candidates.size();
  Progress progress(console, points * static_cast<std::size_t>(1 + draws));
  report::RunReport report{prepared.scenario.name, headline(prepared.scenario), {}};
  for (const scenario::PlannedLoad& load : prepared.loads) {
    report.loads.push_back(evaluate_load(prepared, load, outputs, progress, failed));
  }
  std::vector<std::span<evaluate::Outcome>> found;
  for (report::LoadReport& load : report.loads) found.emplace_back(load.candidates);
  add_intervals(prepared.scenario, library, draws, found, [&] { progress.advance(); });
  return report;
}

void print_report(const report::RunReport& report, Format format, Console& console) {
  switch (format) {
    case Format::json:
      console.print(report::run_json(report));
      break;
    case Format::csv:
      console.print(report::to_csv(report::summary(report)));
      break;
    case Format::markdown:
      console.print(report::run_markdown(report));
      break;
    case Format::table:
      console.print(report::run_text(report, console.width()));
      break;
  }
  for (const std::string& note : report::run_notes(report)) console.note("Note     " + note);
}

/// Names of the files written, none without --out.
std::vector<std::string> write_files(const report::RunReport& report, Outputs& outputs) {
  if (!outputs.folder) return {};
  if (outputs.requests) outputs.requests->close();
  report::add_run_files(*outputs.folder, report, outputs.peaks, outputs.costs);
  return outputs.folder->commit();
}

bool any_feasible(const report::RunReport& report) {
  return std::any_of(report.loads.begin(), report.loads.end(), [](const auto& load) {
    return std::any_of(load.candidates.begin(), load.candidates.end(),
                       [](const evaluate::Outcome& outcome) { return outcome.feasible; });
  });
}

}  // namespace

std::vector<Option> serving_run_options() {
  return {draws_option(),
          {"requests", "", "with --out: also requests.csv (jobs.csv of a cluster), one row each"},
          reference_option()};
}

void check_serving_run(Arguments& arguments) {
  draws_of(arguments);
  if (arguments.has("requests") && !arguments.has("out")) {
    arguments.problem("requests", "writes requests.csv, so it needs --out DIR", "missing-option");
  }
}

Exit run_serving(Arguments& arguments, OpenedScenario opened, Console& console) {
  const Format format = format_of(arguments);
  const std::int64_t draws = draws_of(arguments);
  scenario::Library library(catalog::data_directory());
  Prepared prepared = prepare(arguments, std::move(opened), library);
  if (arguments.has("dump-resolved")) {
    console.print(scenario::dump_resolved(prepared.document, prepared.scenario, prepared.loads));
    return Exit::done;
  }
  if (arguments.has("dry-run")) {
    print_rows(scenario::plan_listing(prepared.loads), format, console);
    return Exit::done;
  }
  Outputs outputs;
  open_outputs(arguments, outputs);
  bool failed = false;
  const report::RunReport report = evaluate_all(prepared, outputs, console, library, draws, failed);
  // Files first: a reader of the table that goes away must not cost the results.
  const auto written = write_files(report, outputs);
  print_report(report, format, console);
  if (!written.empty()) {
    console.note(fmt::format("Wrote    {}/ {}", *arguments.text("out"), fmt::join(written, " ")));
  }
  if (arguments.has("check-laws")) {
    console.note("Laws     requests, tokens and KV blocks are conserved in every simulated point");
  }
  if (failed && arguments.has("strict")) return Exit::point_failed;
  return any_feasible(report) ? Exit::done : Exit::nothing_feasible;
}

}  // namespace gpucap::cli
