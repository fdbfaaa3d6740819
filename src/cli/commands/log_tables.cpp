#include "log_tables.hpp"

#include "gpucap/core/statistics.hpp"
#include "gpucap/report/listing.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace gpucap::cli {
namespace {

using calibrate::LogError;
using calibrate::LogFit;
using calibrate::LogResult;
using report::Cell;
using report::Listing;
using report::Shown;

Listing numbers_of(const LogFit& fit) {
  Listing listing{{{"number", "NUMBER"},
                   {"before", "BEFORE", Shown::exact},
                   {"after", "AFTER", Shown::plain},
                   {"unit", "UNIT"},
                   {"standard_error", "STD ERROR", Shown::plain},
                   {"prior_percent", "PRIOR %", Shown::plain},
                   {"narrowed", "OF PRIOR", Shown::plain},
                   {"identified", "IDENTIFIED"},
                   {"meaning", "MEANING", Shown::text, 1}},
                  {}};
  for (const LogResult& one : fit.results) {
    listing.rows.push_back({one.key, one.before, one.after, one.unit,
                            one.identified ? Cell{one.standard_error} : Cell{}, 100 * one.prior,
                            one.narrowed, one.identified ? "yes" : "no", one.meaning});
  }
  return listing;
}

double error(double predicted, double measured) {
  return predicted / measured - 1;
}

/// Median and worst absolute errors by metric and statistic, before and after, per cent.
Listing summary_of(const LogFit& fit) {
  Listing listing{{{"metric", "METRIC"},
                   {"statistic", "STATISTIC"},
                   {"runs", "RUNS", Shown::count},
                   {"median_before_percent", "MEDIAN % BEFORE", Shown::plain},
                   {"median_after_percent", "AFTER", Shown::plain},
                   {"worst_before_percent", "WORST % BEFORE", Shown::plain},
                   {"worst_after_percent", "AFTER", Shown::plain}},
                  {}};
  std::vector<std::pair<std::string, std::string>> keys;
  for (const LogError& one : fit.errors) {
    const std::pair key{one.metric, one.statistic};
    if (std::find(keys.begin(), keys.end(), key) == keys.end()) keys.push_back(key);
  }
  for (const auto& [metric, statistic] : keys) {
    std::vector<double> before, after;
    for (const LogError& one : fit.errors) {
      if (one.metric != metric || one.statistic != statistic) continue;
      before.push_back(100 * std::fabs(error(one.before, one.measured)));
      after.push_back(100 * std::fabs(error(one.after, one.measured)));
    }
    const Summary then = summarize(before), now = summarize(after);
    listing.rows.push_back({metric, statistic, then.n, *then.p50, *now.p50, *then.max, *now.max});
  }
  return listing;
}

Listing figures_of(const LogFit& fit) {
  Listing listing{{{"run", "RUN"},
                   {"metric", "METRIC"},
                   {"statistic", "STATISTIC"},
                   {"measured", "MEASURED", Shown::plain},
                   {"unit", "UNIT"},
                   {"before_percent", "ERROR % BEFORE", Shown::plain},
                   {"after_percent", "AFTER", Shown::plain},
                   {"fitted", "FITTED", Shown::text, 1}},
                  {}};
  for (const LogError& one : fit.errors) {
    const bool rate = one.metric == "throughput";
    listing.rows.push_back({one.run, one.metric, one.statistic,
                            rate ? one.measured : 1e3 * one.measured, rate ? "/s" : "ms",
                            100 * error(one.before, one.measured),
                            100 * error(one.after, one.measured), one.fitted ? "yes" : "shown"});
  }
  return listing;
}

}  // namespace

void print_log_fit(const LogFit& fit, Console& console) {
  console.print(report::aligned(to_table(numbers_of(fit)), console.width()));
  console.print("\n" + report::aligned(to_table(summary_of(fit)), console.width()));
  console.print("\n" + report::aligned(to_table(figures_of(fit)), console.width()));
  console.print(fmt::format("\nScatter that remains: {:.1f} %\n", 100 * fit.scatter));
}

}  // namespace gpucap::cli
