#include "gpucap/catalog/data_dir.hpp"
#include "gpucap/cli/format.hpp"
#include "gpucap/cli/progress.hpp"
#include "gpucap/cli/run_kinds.hpp"
#include "gpucap/report/cluster.hpp"
#include "gpucap/scenario/cluster.hpp"
#include "gpucap/scenario/settings.hpp"

#include <algorithm>
#include <optional>

#include "jobs_file.hpp"
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace gpucap::cli {
namespace {

std::string jobs_text(const scenario::ClusterScenario& scenario) {
  if (const auto* mix = std::get_if<cluster::JobMix>(&scenario.jobs)) {
    return fmt::format("{} generated jobs", mix->jobs);
  }
  const auto& recorded = std::get<scenario::RecordedJobs>(scenario.jobs);
  const auto& trace = *recorded.trace;
  const double days = (as_seconds(trace.last_submit()) - as_seconds(trace.first_submit())) / 86400;
  return fmt::format("{} of {} rows of {}, submitted over {:.1f} days", trace.jobs.size(),
                     trace.rows, recorded.file.filename().string(), days);
}

std::vector<std::string> headline(const scenario::ClusterScenario& scenario) {
  std::vector<std::string> lines = {
      fmt::format("{}: {}, seed {}", scenario.name, jobs_text(scenario), scenario.seed)};
  if (const auto day = scenario::as_of(scenario)) lines.push_back("Prices as of " + day->text());
  return lines;
}

/// What is written besides the report itself.
struct Outputs {
  std::optional<report::OutputFolder> folder;
  std::optional<JobsFile> jobs;
};

void open_outputs(const Arguments& arguments, Outputs& outputs) {
  const auto out = arguments.text("out");
  if (!out) return;
  outputs.folder.emplace(*out);
  if (arguments.has("requests")) outputs.jobs.emplace(outputs.folder->aside("jobs.csv"));
}

report::ClusterReport evaluate_all(const scenario::ClusterScenario& scenario,
                                   const std::vector<evaluate::ClusterCase>& cases,
                                   Outputs& outputs, Console& console) {
  Progress progress(console, scenario.policies.size() * cases.size());
  report::ClusterReport report{scenario.name, headline(scenario), {}};
  for (const scenario::NamedPolicy& policy : scenario.policies) {
    report::PolicyReport found{policy.name, {}};
    for (const evaluate::ClusterCase& one : cases) {
      std::vector<cluster::Sink*> sinks;
      if (outputs.jobs) {
        outputs.jobs->begin(policy.name, one);
        sinks.push_back(&*outputs.jobs);
      }
      found.candidates.push_back(evaluate::evaluate(one, policy.policy, sinks));
      progress.advance();
    }
    report.policies.push_back(std::move(found));
  }
  return report;
}

bool any_finished(const report::ClusterReport& report) {
  return std::any_of(report.policies.begin(), report.policies.end(), [](const auto& policy) {
    return std::any_of(policy.candidates.begin(), policy.candidates.end(),
                       [](const auto& outcome) { return outcome.finished > 0; });
  });
}

std::vector<std::string> write_files(const report::ClusterReport& report, Outputs& outputs) {
  if (!outputs.folder) return {};
  if (outputs.jobs) outputs.jobs->close();
  outputs.folder->add("summary.csv", report::to_csv(report::cluster_summary(report)));
  outputs.folder->add("summary.json", report::cluster_json(report));
  return outputs.folder->commit();
}

void print_report(const report::ClusterReport& report, Format format, Console& console) {
  switch (format) {
    case Format::json:
      console.print(report::cluster_json(report));
      break;
    case Format::csv:
      console.print(report::to_csv(report::cluster_summary(report)));
      break;
    case Format::markdown:
      console.print(report::cluster_markdown(report));
      break;
    case Format::table:
      console.print(report::cluster_text(report, console.width()));
      break;
  }
  for (const std::string& note : report::cluster_notes(report)) console.note("Note     " + note);
}

}  // namespace

Exit run_cluster(Arguments& arguments, OpenedScenario opened, Console& console) {
  const Format format = format_of(arguments);
  scenario::Library library(catalog::data_directory());
  const auto scenario = scenario::read_cluster(opened.document, opened.folder, library);
  if (arguments.has("dump-resolved")) {
    console.print(scenario::dump_resolved(opened.document, scenario));
    return Exit::done;
  }
  std::vector<evaluate::ClusterCase> cases;
  try {
    cases = scenario::plan_cluster(scenario, library);
  } catch (const InputError& error) {
    throw scenario::located(error, opened.document);
  }
  if (arguments.has("dry-run")) {
    print_rows(scenario::plan_listing(scenario, cases), format, console);
    return Exit::done;
  }
  Outputs outputs;
  open_outputs(arguments, outputs);
  report::ClusterReport report;
  try {
    report = evaluate_all(scenario, cases, outputs, console);
  } catch (const InputError& error) {
    throw scenario::located(error, opened.document);
  }
  const auto written = write_files(report, outputs);
  print_report(report, format, console);
  if (!written.empty()) {
    console.note(fmt::format("Wrote    {}/ {}", *arguments.text("out"), fmt::join(written, " ")));
  }
  return any_finished(report) ? Exit::done : Exit::nothing_feasible;
}

}  // namespace gpucap::cli
