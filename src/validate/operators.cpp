#include "gpucap/calibrate/screen.hpp"
#include "gpucap/validate/suites.hpp"

#include <map>
#include <tuple>

#include "operators/launch.hpp"
#include <fmt/format.h>

namespace gpucap::validate {
namespace {

using report::Listing;
using report::Shown;

/// Launches of one table, card and kernel: the split is made among them.
using GroupKey = std::tuple<std::string, std::string, std::string>;  // card, kernel, table
using Groups = std::map<GroupKey, std::vector<Launch>>;

Bytes cache_of(const KnownCard& card) {
  constexpr double usual_mb = 40;  // where the spec sheet does not state the cache
  return card.gpu.l2.value_or(usual_mb * unit::MB);
}

/// Operands beyond the cache: what a loop measures is then what a model sees.
bool cold(const Launch& launch, const KnownCard& card) {
  return launch.work.bytes >= cache_of(card);
}

/// What no fit would take either. A launch is not held against what only a fit says of it: that
/// would leave out the worst predictions.
std::optional<std::string> impossible(const Launch& launch, const KnownCard& card) {
  const perf::Work known = launch.operands_known ? launch.work : perf::Work{};
  return calibrate::impossible(known, launch.measured, card_of(card), cache_of(card));
}

std::vector<bool> held_out(const std::vector<Launch>& launches) {
  std::vector<calibrate::SplitKey> keys;
  for (const Launch& launch : launches) keys.push_back(launch.key);
  return calibrate::split(keys).held_out;
}

void read_table(const Source& table, const std::filesystem::path& path, LaunchReader& reader,
                Groups& groups, std::vector<Skipped>& skipped) {
  const CsvFile file(path, {"gpu", "time_us"});
  std::map<std::string, std::int64_t> counts;
  for (const CsvCells& row : file.rows()) {
    if (const auto reason = skip_reason(table, row)) {
      ++counts[*reason];
      continue;
    }
    auto launch = reader.read(table, row);
    if (!launch) {
      ++counts["another kernel, format, card, host or implementation than those predicted"];
    } else if (const auto fault = impossible(*launch, reader.card(launch->gpu))) {
      ++counts[*fault];
    } else {
      groups[{launch->gpu, launch->kernel, table.name}].push_back(std::move(*launch));
    }
  }
  for (const auto& [reason, count] : counts) {
    skipped.push_back({table.name, fmt::format("{} rows", count), reason, count});
  }
}

Figure figure_of(const Launch& launch, bool is_cold) {
  Figure figure;
  figure.suite = "operators";
  figure.source = launch.table;
  figure.id = launch.shape;
  figure.gpu = launch.gpu;
  figure.group = launch.kernel;
  figure.metric = is_cold ? "cold" : "warm";
  figure.statistic = "us";
  figure.measured = launch.measured.in(unit::us);
  figure.predicted = launch.work.time().in(unit::us);
  return figure;
}

std::vector<report::Cell> error_cells(const std::vector<double>& errors) {
  const ErrorSummary found = summarize_errors(errors);
  return {found.count, signed_percent(found.bias), percent(found.median), percent(found.p95)};
}

/// Errors of one group on cold and on all held-out launches; the figures are added. `chosen`: the
/// launches were picked from held-out shapes already.
std::vector<report::Cell> group_row(const GroupKey& key, const std::vector<Launch>& launches,
                                    const KnownCard& card, bool chosen,
                                    std::vector<Figure>& figures) {
  const std::vector<bool> held = held_out(launches);
  std::vector<double> cold_errors, all_errors;
  for (std::size_t i = 0; i < launches.size(); ++i) {
    if (launches[i].fitted && !held[i] && !chosen) continue;
    const bool is_cold = cold(launches[i], card);
    figures.push_back(figure_of(launches[i], is_cold));
    all_errors.push_back(figures.back().error());
    if (is_cold) cold_errors.push_back(all_errors.back());
  }
  const auto& [gpu, kernel, table] = key;
  std::vector<report::Cell> row{gpu, kernel, table,
                                std::string(launches.front().fitted ? "held out" : "all")};
  for (const auto& errors : {cold_errors, all_errors}) {
    for (report::Cell& cell : error_cells(errors)) row.push_back(std::move(cell));
  }
  return row;
}

Listing empty_table() {
  return {{{"gpu", "CARD"},
           {"kernel", "KERNEL"},
           {"table", "TABLE"},
           {"rows", "ROWS"},
           {"cold_count", "COLD", Shown::count},
           {"cold_bias", "BIAS %"},
           {"cold_median", "MEDIAN %"},
           {"cold_p95", "P95 %"},
           {"count", "ALL", Shown::count},
           {"bias", "BIAS %"},
           {"median", "MEDIAN %"},
           {"p95", "P95 %"}},
          {}};
}

}  // namespace

SuiteReport operators_suite(const Inputs& inputs, scenario::Library& library) {
  SuiteReport suite;
  suite.suite = "operators";
  const bool shipped = !inputs.folder;
  const auto folder = shipped ? inputs.data_dir / "calibration" / "validation" / "operators"
                              : *inputs.folder / "operators";
  suite.data = shipped ? "shipped published figures" : folder.string();
  const SourceBook book = load_sources(inputs.data_dir);
  LaunchReader reader(book, library);
  Groups groups;
  std::vector<Skipped> skipped;
  for (const Source& table : book.operators) {
    const auto path = folder / table.file;
    if (!std::filesystem::exists(path)) {
      if (shipped) continue;
      skipped.push_back({table.name, table.file, "the file is not in this folder"});
    } else {
      read_table(table, path, reader, groups, skipped);
    }
  }
  Listing table = empty_table();
  for (const auto& [key, launches] : groups) {
    table.rows.push_back(
        group_row(key, launches, reader.card(std::get<0>(key)), shipped, suite.figures));
  }
  suite.sections.push_back(
      {"kernels",
       "Kernel times on launches that no fit has seen, per cent",
       std::move(table),
       Section::Readers::all,
       {"Cold: operands beyond the L2 cache, as weights and KV caches are in a model. Held out: "
        "every fifth shape; all: nothing of the kind was fitted."}});
  for (Section& section : skipped_sections(skipped)) suite.sections.push_back(std::move(section));
  return suite;
}

}  // namespace gpucap::validate
