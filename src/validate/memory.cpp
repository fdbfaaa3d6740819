#include "gpucap/validate/logged_pool.hpp"
#include "gpucap/validate/prediction.hpp"
#include "gpucap/validate/serving_case.hpp"
#include "gpucap/validate/suites.hpp"

#include <fmt/format.h>

namespace gpucap::validate {
namespace {

using report::Listing;
using report::Shown;

/// Did it start, and does the prediction say so?
struct Verdicts {
  std::int64_t right_fits = 0, right_refusals = 0, wrong_fits = 0, wrong_refusals = 0;
  Listing wrong{{{"source", "SOURCE"}, {"id", "ROW"}, {"predicted", "PREDICTED"}, {"why", "WHY"}},
                {}};

  void add(const std::string& source, const std::string& id, bool fits,
           const plan::ServingPlan& plan) {
    const bool predicted = plan.feasible;
    if (predicted == fits) {
      ++(fits ? right_fits : right_refusals);
      return;
    }
    ++(predicted ? wrong_fits : wrong_refusals);
    wrong.rows.push_back({source, id, std::string(predicted ? "fits" : "does not fit"),
                          report::text_cell(plan.reason)});
  }
};

plan::ServingPlan plan_of(const LoggedPool& pool, scenario::Library& library) {
  scenario::Options options = pool.options;
  options.emplace_back("prompt-tokens", "1");
  options.emplace_back("output-tokens", "1");
  const Change change = [&](plan::ServingQuestion& question) {
    if (pool.visible_memory) question.node.gpu.memory_visible = *pool.visible_memory;
  };
  return plan_only(options, library, change).serving_case.plan;
}

void add_figure(std::vector<Figure>& figures, const LoggedPool& pool,
                const plan::ServingPlan& plan) {
  if (!pool.kv_cache_tokens && !pool.kv_cache) return;
  Figure figure;
  figure.suite = "memory";
  figure.source = "engine logs";
  figure.id = pool.id;
  figure.gpu = plan.question.node.gpu.id;
  figure.model = plan.question.model.id;
  figure.engine = plan.question.engine.profile.id;
  figure.group = "pool";
  figure.metric = "KV pool";
  figure.statistic = pool.kv_cache_tokens ? "tokens" : "GiB";
  if (pool.kv_cache_tokens) {
    figure.measured = static_cast<double>(*pool.kv_cache_tokens);
    figure.predicted = static_cast<double>(plan.footprint.kv_cache_tokens);
  } else {
    figure.measured = pool.kv_cache->in(unit::GiB);
    figure.predicted = plan.footprint.kv_cache.in(unit::GiB);
  }
  figure.calibration = pool.fitted;
  figure.cause = pool.remark;
  figures.push_back(std::move(figure));
}

Listing summary_table(const std::vector<Figure>& figures) {
  Listing listing{{{"rows", "ROWS"},
                   {"count", "N", Shown::count},
                   {"bias", "BIAS %"},
                   {"median", "MEDIAN %"},
                   {"p95", "P95 %"},
                   {"worst", "WORST %"}},
                  {}};
  for (const bool fitted : {false, true}) {
    std::vector<double> errors;
    for (const Figure& figure : figures) {
      if (figure.calibration == fitted) errors.push_back(figure.error());
    }
    const ErrorSummary found = summarize_errors(errors);
    listing.rows.push_back(
        {std::string(fitted ? "a term was fitted on them" : "no term was fitted on them"),
         found.count, signed_percent(found.bias), percent(found.median), percent(found.p95),
         signed_percent(found.worst)});
  }
  return listing;
}

Listing pool_table(const std::vector<Figure>& figures) {
  Listing listing{{{"row", "ROW"},
                   {"card", "CARD"},
                   {"engine", "ENGINE"},
                   {"measured", "LOGGED", Shown::exact},
                   {"predicted", "PREDICTED", Shown::exact},
                   {"unit", "UNIT"},
                   {"error", "ERROR %"},
                   {"fitted", "IN THE FIT"},
                   {"remark", "REMARK", Shown::text, 1}},
                  {}};
  for (const Figure& figure : figures) {
    listing.rows.push_back({figure.id, figure.gpu, figure.engine, figure.measured, figure.predicted,
                            figure.statistic, signed_percent(figure.error()),
                            report::text_cell(figure.calibration ? "yes" : ""),
                            report::text_cell(figure.cause)});
  }
  return listing;
}

Listing verdict_table(const Verdicts& verdicts) {
  return {{{"started", "REALITY"},
           {"fits", "PREDICTED FITS", Shown::count},
           {"refused", "PREDICTED DOES NOT FIT", Shown::count}},
          {{std::string("started"), verdicts.right_fits, verdicts.wrong_refusals},
           {std::string("did not start"), verdicts.wrong_fits, verdicts.right_refusals}}};
}

/// Whatever was measured had started.
void add_served_runs(Verdicts& verdicts, const ServingCases& found, scenario::Library& library) {
  for (const ServingCase& one : found.cases) {
    try {
      verdicts.add(one.source, one.id, true, plan_only(one.options, library).serving_case.plan);
    } catch (const InputError&) {
      continue;  // not expressible: the serving suite lists it with the reason
    }
  }
}

}  // namespace

SuiteReport memory_suite(const Inputs& inputs, scenario::Library& library) {
  SuiteReport suite;
  suite.suite = "memory";
  suite.data = "shipped engine logs; served runs of " +
               (inputs.folder ? (*inputs.folder / "serving").string()
                              : std::string("the shipped published figures"));
  Verdicts verdicts;
  std::vector<Skipped> skipped;
  for (const LoggedPool& pool : logged_pools(inputs.data_dir)) {
    try {
      const plan::ServingPlan plan = plan_of(pool, library);
      verdicts.add("engine logs", pool.id, pool.fits, plan);
      if (plan.feasible) add_figure(suite.figures, pool, plan);
    } catch (const InputError& error) {
      skipped.push_back({"engine logs", pool.id, error.problems().front().message});
    }
  }
  add_served_runs(verdicts,
                  inputs.folder ? measured_serving_cases(*inputs.folder, inputs.data_dir)
                                : shipped_serving_cases(inputs.data_dir),
                  library);
  using Readers = Section::Readers;
  suite.sections.push_back(
      {"summary", "KV pools that engines logged", summary_table(suite.figures), Readers::all, {}});
  suite.sections.push_back({"pools", "Each pool", pool_table(suite.figures), Readers::all, {}});
  suite.sections.push_back(
      {"verdicts", "Does it start?", verdict_table(verdicts), Readers::all, {}});
  if (!verdicts.wrong.rows.empty()) {
    suite.sections.push_back({"wrong", "Wrong answers", verdicts.wrong, Readers::all, {}});
  }
  if (!skipped.empty()) {
    for (Section& section : skipped_sections(skipped)) suite.sections.push_back(section);
  }
  return suite;
}

}  // namespace gpucap::validate
