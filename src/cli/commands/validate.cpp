#include "gpucap/catalog/data_dir.hpp"
#include "gpucap/cli/format.hpp"
#include "gpucap/cli/scenario_commands.hpp"
#include "gpucap/report/table.hpp"
#include "gpucap/validate/suites.hpp"

#include <filesystem>
#include <utility>

#include <fmt/format.h>

namespace gpucap::cli {
namespace {

using validate::Section;
using validate::SuiteReport;

void print_section(const Section& section, Format format, Console& console) {
  const auto table = report::to_table(section.listing);
  const bool markdown = format == Format::markdown;
  if (!section.title.empty()) {
    console.print(markdown ? fmt::format("### {}\n\n", section.title)
                           : fmt::format("{}\n", section.title));
  }
  if (table.rows.empty()) {
    console.print("None.\n");
  } else {
    console.print(markdown ? report::markdown(table) : report::aligned(table, console.width()));
  }
  if (markdown && !section.notes.empty()) console.print("\n");
  for (const std::string& note : section.notes) {
    console.print(markdown ? report::markdown_text(note) + "\n" : note + "\n");
  }
  console.print("\n");
}

void print_for_people(const std::vector<SuiteReport>& suites, Format format, Console& console) {
  for (const SuiteReport& suite : suites) {
    const bool markdown = format == Format::markdown;
    console.print(fmt::format("{}Suite {}, measured: {}\n\n", markdown ? "## " : "", suite.suite,
                              suite.data));
    for (const Section& section : suite.sections) {
      if (section.readers != Section::Readers::files) print_section(section, format, console);
    }
  }
}

void print_json(const std::vector<SuiteReport>& suites, Console& console) {
  report::Listing data{{{"suite", "SUITE"}, {"measured", "MEASURED"}}, {}};
  std::vector<std::pair<std::string, const report::Listing*>> parts{{"suites", &data}};
  for (const SuiteReport& suite : suites) {
    data.rows.push_back({suite.suite, suite.data});
    for (const Section& section : suite.sections) {
      if (section.readers == Section::Readers::people) continue;
      parts.emplace_back(fmt::format("{}_{}", suite.suite, section.name), &section.listing);
    }
  }
  console.print(report::to_json(parts));
}

void print_csv(const std::vector<SuiteReport>& suites, Console& console) {
  std::vector<validate::Figure> figures;
  for (const SuiteReport& suite : suites) {
    figures.insert(figures.end(), suite.figures.begin(), suite.figures.end());
  }
  console.print(report::to_csv(validate::figure_listing(figures)));
}

std::vector<std::string> suites_asked(Arguments& arguments) {
  std::vector<std::pair<std::string, std::string>> words{{"all", "all"}};
  for (const std::string& name : validate::suite_names()) words.emplace_back(name, name);
  const auto asked = arguments.text("suite");
  if (asked == "power") {
    arguments.problem(
        "suite",
        fmt::format("suite \"{}\" comes later; known: operators, serving, memory, training, all",
                    *asked),
        "unknown-name");
    return {};
  }
  const std::string word = arguments.choice<std::string>("suite", words).value_or("all");
  return word == "all" ? validate::suite_names() : std::vector<std::string>{word};
}

validate::Inputs inputs_of(Arguments& arguments) {
  validate::Inputs inputs;
  inputs.data_dir = catalog::data_directory();
  const auto folder = arguments.text("data");
  if (!folder) return inputs;
  if (!std::filesystem::is_directory(*folder)) {
    arguments.problem("data",
                      fmt::format("\"{}\" is no folder; it must hold serving/ and operators/ with "
                                  "measured tables, see docs/models/validation.md",
                                  *folder),
                      "no-folder");
    return inputs;
  }
  inputs.folder = *folder;
  return inputs;
}

Exit run(Arguments& arguments, Console& console) {
  const Format format = format_of(arguments);
  const auto names = suites_asked(arguments);
  const validate::Inputs inputs = inputs_of(arguments);
  arguments.throw_if_problems();
  scenario::Library library(inputs.data_dir);
  std::vector<SuiteReport> suites;
  for (const std::string& name : names) {
    suites.push_back(validate::run_suite(name, inputs, library));
  }
  if (format == Format::json) {
    print_json(suites, console);
  } else if (format == Format::csv) {
    print_csv(suites, console);
  } else {
    print_for_people(suites, format, console);
  }
  return Exit::done;
}

}  // namespace

Command validate_command() {
  return {"validate",
          "predicted against measured: how far off is it for my card and model",
          {"gpucap validate", "gpucap validate --suite serving --data measured"},
          {},
          {{"suite", "S", "operators, serving, memory or all (default)"},
           {"data", "DIR", "folder of measured tables (default: the shipped figures)"},
           format_option()},
          run};
}

}  // namespace gpucap::cli
