#include "gpucap/validate/suite_report.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <tuple>

#include <fmt/format.h>

namespace gpucap::validate {
namespace {

using report::Cell;
using report::Listing;
using report::Shown;

/// Figures of equal key, in the order of the keys.
using Key = std::tuple<std::string, std::string, std::string, std::string, bool>;
std::map<Key, std::vector<double>> errors_by_key(const std::vector<Figure>& figures) {
  std::map<Key, std::vector<double>> groups;
  for (const Figure& figure : figures) {
    if (!figure.main) continue;
    groups[{figure.gpu, figure.engine, figure.group, figure.metric, figure.calibration}].push_back(
        figure.error());
  }
  return groups;
}

Cell yes_or_empty(bool value) {
  return value ? Cell(std::string("yes")) : Cell();
}

std::string cell_of(const std::vector<double>& errors) {
  const ErrorSummary found = summarize_errors(errors);
  if (found.count == 0) return "-";
  return fmt::format("{} / {} ({})", signed_percent(found.bias), percent(found.median),
                     found.count);
}

/// Figures of one model on one card in one zone, of which at least one is far off.
struct OutlierGroup {
  std::int64_t count = 0;
  const Figure* worst = nullptr;
  std::map<std::string, const Figure*> by_metric;  ///< the worst of each
};

bool worse(const Figure& figure, const Figure* than) {
  return than == nullptr || std::abs(figure.error()) > std::abs(than->error());
}

using OutlierGroups = std::map<std::vector<std::string>, OutlierGroup>;

OutlierGroups outlier_groups(const std::vector<Figure>& figures, double limit) {
  OutlierGroups groups;
  for (const Figure& figure : figures) {
    if (!figure.main || figure.calibration || std::abs(figure.error()) <= limit) continue;
    auto& group = groups[{figure.source, figure.model, figure.gpu, figure.group}];
    ++group.count;
    if (worse(figure, group.worst)) group.worst = &figure;
    const Figure*& of_metric = group.by_metric[figure.metric];
    if (worse(figure, of_metric)) of_metric = &figure;
  }
  return groups;
}

std::string worst_of(const OutlierGroup& group, const std::string& metric) {
  const auto found = group.by_metric.find(metric);
  return found == group.by_metric.end() ? "-" : signed_percent(found->second->error());
}

}  // namespace

std::string signed_percent(const std::optional<double>& share) {
  return share ? fmt::format("{:+.1f}", *share * 100) : "-";
}

std::string percent(const std::optional<double>& share) {
  return share ? fmt::format("{:.1f}", *share * 100) : "-";
}

Listing figure_listing(const std::vector<Figure>& figures) {
  Listing listing{{{"suite", "SUITE"},
                   {"source", "SOURCE"},
                   {"id", "ROW"},
                   {"gpu", "CARD"},
                   {"engine", "ENGINE"},
                   {"model", "MODEL"},
                   {"group", "GROUP"},
                   {"metric", "METRIC"},
                   {"statistic", "STATISTIC"},
                   {"measured", "MEASURED", Shown::exact},
                   {"predicted", "PREDICTED", Shown::exact},
                   {"error", "ERROR", Shown::exact},
                   {"calibration", "CALIBRATION"},
                   {"main", "MAIN"},
                   {"cause", "CAUSE"}},
                  {}};
  for (const Figure& figure : figures) {
    listing.rows.push_back({figure.suite, figure.source, figure.id, figure.gpu,
                            report::text_cell(figure.engine), figure.model, figure.group,
                            figure.metric, figure.statistic, figure.measured, figure.predicted,
                            figure.error(), yes_or_empty(figure.calibration),
                            yes_or_empty(figure.main), report::text_cell(figure.cause)});
  }
  return listing;
}

std::vector<Section> skipped_sections(const std::vector<Skipped>& skipped) {
  std::map<std::pair<std::string, std::string>, std::int64_t> counts;
  std::int64_t sum = 0;
  Listing all{{{"source", "SOURCE"}, {"id", "ROW"}, {"reason", "REASON"}}, {}};
  for (const Skipped& one : skipped) {
    counts[{one.source, one.reason}] += one.rows;
    sum += one.rows;
    all.rows.push_back({one.source, one.id, one.reason});
  }
  Listing counted{{{"source", "SOURCE"}, {"rows", "ROWS", Shown::count}, {"reason", "REASON"}}, {}};
  for (const auto& [key, count] : counts) {
    counted.rows.push_back({key.first, count, key.second});
  }
  return {{"skipped_counts",
           fmt::format("Not compared: {} rows", sum),
           counted,
           Section::Readers::people,
           {}},
          {"skipped", "Not compared", all, Section::Readers::files, {}}};
}

Listing error_listing(const std::vector<Figure>& figures) {
  Listing listing{{{"gpu", "CARD"},
                   {"engine", "ENGINE"},
                   {"group", "GROUP"},
                   {"metric", "METRIC"},
                   {"calibration", "CALIBRATION"},
                   {"count", "N", Shown::count},
                   {"bias", "BIAS", Shown::percent},
                   {"median", "MEDIAN", Shown::percent},
                   {"p95", "P95", Shown::percent},
                   {"worst", "WORST", Shown::percent}},
                  {}};
  for (const auto& [key, errors] : errors_by_key(figures)) {
    const auto& [gpu, engine, group, metric, calibration] = key;
    const ErrorSummary found = summarize_errors(errors);
    listing.rows.push_back({gpu, report::text_cell(engine), group, metric,
                            yes_or_empty(calibration), found.count, report::number_cell(found.bias),
                            report::number_cell(found.median), report::number_cell(found.p95),
                            report::number_cell(found.worst)});
  }
  return listing;
}

Listing error_table(const std::vector<Figure>& figures, bool calibration,
                    const std::vector<std::string>& metrics) {
  Listing listing{{{"gpu", "CARD"}, {"engine", "ENGINE"}, {"zone", "ZONE"}}, {}};
  for (const std::string& metric : metrics) listing.fields.push_back({metric, metric});
  const auto groups = errors_by_key(figures);
  std::map<std::tuple<std::string, std::string, std::string>, std::vector<Cell>> rows;
  for (std::size_t i = 0; i < metrics.size(); ++i) {
    for (const auto& [key, errors] : groups) {
      const auto& [gpu, engine, group, metric, of_calibration] = key;
      if (metric != metrics[i] || of_calibration != calibration) continue;
      auto& cells = rows[{gpu, engine, group}];
      if (cells.empty()) cells.assign(metrics.size(), std::string("-"));
      cells[i] = cell_of(errors);
    }
  }
  for (auto& [key, cells] : rows) {
    std::vector<Cell> row{std::get<0>(key), std::get<1>(key), std::get<2>(key)};
    row.insert(row.end(), cells.begin(), cells.end());
    listing.rows.push_back(std::move(row));
  }
  return listing;
}

Listing outlier_table(const std::vector<Figure>& figures, double limit,
                      const std::vector<std::string>& metrics) {
  const OutlierGroups groups = outlier_groups(figures, limit);
  std::vector<const OutlierGroup*> ordered;
  for (const auto& [key, group] : groups) ordered.push_back(&group);
  std::stable_sort(ordered.begin(), ordered.end(), [](const auto* a, const auto* b) {
    return std::abs(a->worst->error()) > std::abs(b->worst->error());
  });
  Listing listing{{{"source", "SOURCE"},
                   {"model", "MODEL"},
                   {"gpu", "CARD"},
                   {"zone", "ZONE"},
                   {"count", "N", Shown::count}},
                  {}};
  for (const std::string& metric : metrics) listing.fields.push_back({metric, metric});
  listing.fields.push_back({"cause", "CAUSE OR TREATMENT", Shown::text, 1});
  for (const OutlierGroup* group : ordered) {
    const Figure& worst = *group->worst;
    std::vector<Cell> row{worst.source, worst.model, worst.gpu, worst.group, group->count};
    for (const std::string& metric : metrics) row.emplace_back(worst_of(*group, metric));
    row.emplace_back(report::text_cell(worst.cause));
    listing.rows.push_back(std::move(row));
  }
  return listing;
}

}  // namespace gpucap::validate
