#pragma once

#include "gpucap/report/listing.hpp"
#include "gpucap/report/run_report.hpp"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace gpucap::report {

/// One candidate under one load, with what only a comparison can tell.
struct Row {
  const evaluate::Outcome* outcome = nullptr;
  std::string load;
  std::optional<double> relative_cost;  ///< to the winner by cost
  std::string wins;                     ///< "cost latency", or empty
  std::string limit;                    ///< why it is not the cheapest; empty for the winner
};

/// A figure that every writer shows: summary.csv, the tables, Markdown.
struct Column {
  Listing::Field field;
  std::function<Cell(const Row&)> get;
};

/// GiB of one part of the footprint. Nothing when no footprint was computed (no weights), and no
/// KV cache where an infeasible layout leaves none.
Cell memory_cell(const perf::ServingFootprint& memory, Bytes perf::ServingFootprint::*part);

/// Compares the candidates of one load; the rows point into it.
std::vector<Row> rows_of(const LoadReport& load);

/// The one currency of all costs; absent when nothing has a cost. Two currencies in one comparison
/// are a broken invariant: std::logic_error.
std::optional<Currency> currency_of(const RunReport& report);

/// The registry, in the order of summary.csv. The currency is part of the cost names
/// ("cost_eur_per_hour"); without any cost they read "cost_per_hour" and stay empty.
std::vector<Column> outcome_columns(std::optional<Currency> currency);

/// Every column of every candidate under every load: summary.csv.
Listing summary(const RunReport& report);

/// Middle 80 % of each figure over Monte Carlo draws: intervals.csv. No rows without draws.
Listing intervals(const RunReport& report);

}  // namespace gpucap::report
