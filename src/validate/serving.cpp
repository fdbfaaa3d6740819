#include "gpucap/validate/prediction.hpp"
#include "gpucap/validate/serving_case.hpp"
#include "gpucap/validate/suites.hpp"

#include <algorithm>

#include "replay_sections.hpp"
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace gpucap::validate {
namespace {

using report::Listing;
using report::Shown;

const std::vector<std::string> metrics{"throughput", "tpot", "e2e", "ttft"};

/// The order in which a metric's statistics are taken for summaries: a median says more about a
/// model of steps than a tail does.
constexpr const char* preference[] = {"out tok/s", "total tok/s", "req/s", "p50", "itl mean",
                                      "mean",      "p90",         "p95",   "p99"};

const Measured* main_figure(const ServingCase& one, const std::string& metric) {
  for (const char* statistic : preference) {
    for (const Measured& figure : one.measured) {
      if (figure.metric == metric && figure.statistic == statistic) return &figure;
    }
  }
  return nullptr;
}

void add_figures(std::vector<Figure>& figures, const ServingCase& one,
                 const Prediction& prediction) {
  for (const Measured& measured : one.measured) {
    const auto value = predicted_value(prediction.outcome, measured);
    if (!value || !(*value > 0)) continue;
    Figure figure;
    figure.suite = "serving";
    figure.source = one.source;
    figure.id = one.id;
    figure.gpu = scenario::value_of(one.options, "gpu").value_or("");
    const auto cards = scenario::value_of(one.options, "tensor-parallel");
    if (cards) figure.gpu += fmt::format(" TP {}", *cards);
    figure.model = scenario::value_of(one.options, "model").value_or("");
    figure.engine = scenario::value_of(one.options, "engine").value_or("vllm-0.19");
    figure.group = name(prediction.zone);
    figure.metric = measured.metric;
    figure.statistic = measured.statistic;
    figure.measured = measured.value;
    figure.predicted = *value;
    figure.calibration = one.calibration;
    figure.main = main_figure(one, measured.metric) == &measured;
    figure.cause = fmt::format("{}", fmt::join(one.remarks, "; "));
    figures.push_back(std::move(figure));
  }
}

Listing case_listing(const std::vector<ServingCase>& cases,
                     const std::vector<Prediction>& predictions) {
  Listing listing{{{"source", "SOURCE"},
                   {"id", "ROW"},
                   {"zone", "ZONE"},
                   {"load", "LOAD", Shown::plain},
                   {"calibration", "CALIBRATION"},
                   {"refusal", "REFUSAL"},
                   {"remarks", "REMARKS"},
                   {"command", "COMMAND"}},
                  {}};
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const Prediction& prediction = predictions[i];
    const bool done = prediction.refusal.empty();
    listing.rows.push_back(
        {cases[i].source, cases[i].id,
         report::text_cell(done ? std::string(name(prediction.zone)) : std::string()),
         report::number_cell(prediction.load), report::text_cell(cases[i].calibration ? "yes" : ""),
         report::text_cell(prediction.refusal),
         report::text_cell(fmt::format("{}", fmt::join(cases[i].remarks, "; "))),
         scenario::command_line(cases[i].options)});
  }
  return listing;
}

std::vector<Section> sections_of(const std::vector<Figure>& figures) {
  using Readers = Section::Readers;
  std::vector<Section> sections;
  sections.push_back(
      {"test",
       "Test rows: error in per cent, bias / median of absolute errors (rows)",
       error_table(figures, false, metrics),
       Readers::people,
       {"Zones are those of the simulated run: light below 0.7 of capacity, knee to 0.95, "
        "saturated above; KV-bound where requests wait for blocks or lose them."}});
  sections.push_back({"calibration",
                      "Calibration servers: they set host constants, so they are no evidence",
                      error_table(figures, true, metrics),
                      Readers::people,
                      {}});
  sections.push_back({"by_zone", "", error_listing(figures), Readers::files, {}});
  sections.push_back({"outliers",
                      "Test figures more than 25 % off, worst first",
                      outlier_table(figures, 0.25, metrics),
                      Readers::people,
                      {}});
  return sections;
}

}  // namespace

SuiteReport serving_suite(const Inputs& inputs, scenario::Library& library) {
  SuiteReport suite;
  suite.suite = "serving";
  ServingCases found = inputs.folder ? measured_serving_cases(*inputs.folder, inputs.data_dir)
                                     : shipped_serving_cases(inputs.data_dir);
  suite.data = inputs.folder ? (*inputs.folder / "serving").string() : "shipped published figures";
  const auto predictions = predict(found.cases, library);
  for (std::size_t i = 0; i < found.cases.size(); ++i) {
    const ServingCase& one = found.cases[i];
    if (predictions[i].refusal.empty()) {
      add_figures(suite.figures, one, predictions[i]);
    } else {
      found.skipped.push_back({one.source, one.id, predictions[i].refusal});
    }
  }
  suite.sections = sections_of(suite.figures);
  suite.sections.push_back(
      {"cases", "", case_listing(found.cases, predictions), Section::Readers::files, {}});
  suite.sections.push_back(
      {"figures", "", figure_listing(suite.figures), Section::Readers::files, {}});
  if (inputs.folder) {
    for (Section& section : replay_sections(*inputs.folder, inputs.data_dir, library)) {
      suite.sections.push_back(std::move(section));
    }
  }
  for (Section& section : skipped_sections(found.skipped)) {
    suite.sections.push_back(std::move(section));
  }
  return suite;
}

}  // namespace gpucap::validate
