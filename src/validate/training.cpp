#include "gpucap/calibrate/training_samples.hpp"
#include "gpucap/training/memory.hpp"
#include "gpucap/training/step.hpp"
#include "gpucap/validate/suites.hpp"

#include <map>

#include <fmt/format.h>

namespace gpucap::validate {
namespace {

using calibrate::TrainingSample;
using report::Listing;
using report::Shown;

Figure figure_of(const TrainingSample& sample, const training::StepTime& step) {
  Figure figure;
  figure.suite = "training";
  figure.source = sample.software;
  figure.id = sample.label;
  figure.gpu = sample.gpu;
  figure.engine = sample.software;
  figure.model = sample.model;
  figure.group = sample.part == "fit" ? "fitted" : sample.part;
  figure.metric = "step";
  figure.statistic = "s";
  figure.measured = sample.step.in(unit::s);
  figure.predicted = step.time.in(unit::s);
  figure.calibration = sample.part == "fit" || sample.part == "nets, fitted";
  return figure;
}

/// LLM.Q moves parts to the host and cuts the loss into chunks by flags that no class expresses;
/// where a trainer's settings are not stated there is nothing to judge.
bool judged(const TrainingSample& sample) {
  return sample.software != "tuned" && sample.part != "settings not stated";
}

/// What ran must be said to fit.
struct Verdicts {
  std::int64_t right = 0, wrong = 0;
  Listing refused{{{"row", "ROW"}, {"software", "SOFTWARE"}, {"why", "WHY"}}, {}};

  void add(const TrainingSample& sample, const training::Question& question) {
    const auto footprint = training::training_footprint(question);
    if (footprint.feasible) {
      ++right;
      return;
    }
    ++wrong;
    refused.rows.push_back({sample.label, sample.software, footprint.reason});
  }
};

/// Errors by class, card and what was done with the rows.
Listing error_table(const std::vector<Figure>& figures) {
  std::map<std::tuple<std::string, std::string, std::string>, std::vector<double>> groups;
  for (const Figure& figure : figures) {
    groups[{figure.engine, figure.gpu, figure.group}].push_back(figure.error());
  }
  Listing listing{{{"software", "SOFTWARE"},
                   {"gpu", "CARD"},
                   {"rows", "ROWS"},
                   {"count", "N", Shown::count},
                   {"bias", "BIAS %"},
                   {"median", "MEDIAN %"},
                   {"worst", "WORST %"}},
                  {}};
  for (const auto& [key, errors] : groups) {
    const ErrorSummary found = summarize_errors(errors);
    const auto& [software, gpu, rows] = key;
    listing.rows.push_back({software, gpu, rows, found.count, signed_percent(found.bias),
                            percent(found.median), signed_percent(found.worst)});
  }
  return listing;
}

Listing row_table(const std::vector<Figure>& figures) {
  Listing listing{{{"row", "ROW"},
                   {"software", "SOFTWARE"},
                   {"rows", "ROWS"},
                   {"measured", "MEASURED s", Shown::exact},
                   {"predicted", "PREDICTED s", Shown::exact},
                   {"error", "ERROR %"}},
                  {}};
  for (const Figure& figure : figures) {
    listing.rows.push_back({figure.id, figure.engine, figure.group, figure.measured,
                            figure.predicted, signed_percent(figure.error())});
  }
  return listing;
}

Listing verdict_table(const Verdicts& verdicts) {
  return {{{"ran", "REALITY"},
           {"fits", "PREDICTED FITS", Shown::count},
           {"refused", "PREDICTED DOES NOT FIT", Shown::count}},
          {{std::string("ran"), verdicts.right, verdicts.wrong}}};
}

}  // namespace

SuiteReport training_suite(const Inputs& inputs, scenario::Library& library) {
  const auto tables = inputs.folder ? *inputs.folder / "training"
                                    : inputs.data_dir / "calibration" / "validation" / "training";
  SuiteReport suite;
  suite.suite = "training";
  suite.data = inputs.folder ? tables.string() : "shipped published steps";
  Verdicts verdicts;
  std::vector<Skipped> skipped;
  const auto found = calibrate::training_samples(tables, inputs.data_dir);
  for (const std::string& why : found.skipped) skipped.push_back({"training", "", why});
  for (const TrainingSample& sample : found.samples) {
    training::Question question = sample.question;
    if (const auto* software = library.software().find(sample.software)) {
      question.software = *software;
    }
    if (const auto problem = layout_problem(question)) {
      skipped.push_back({sample.software, sample.label, *problem});
      continue;
    }
    suite.figures.push_back(figure_of(sample, training::training_step(question)));
    if (judged(sample)) verdicts.add(sample, question);
  }
  using Readers = Section::Readers;
  suite.sections.push_back(
      {"errors", "Time of a step", error_table(suite.figures), Readers::all, {}});
  suite.sections.push_back({"steps", "Each step", row_table(suite.figures), Readers::files, {}});
  suite.sections.push_back({"verdicts", "Does it fit?", verdict_table(verdicts), Readers::all, {}});
  if (!verdicts.refused.rows.empty()) {
    suite.sections.push_back({"wrong", "Wrong answers", verdicts.refused, Readers::all, {}});
  }
  if (!skipped.empty()) {
    for (Section& section : skipped_sections(skipped)) suite.sections.push_back(section);
  }
  return suite;
}

}  // namespace gpucap::validate
