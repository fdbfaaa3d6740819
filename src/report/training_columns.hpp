#pragma once

#include "gpucap/report/training.hpp"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace gpucap::report {

/// One candidate, with what only a comparison can tell.
struct TrainingRow {
  const evaluate::TrainingOutcome* outcome = nullptr;
  std::optional<double> relative_cost;  ///< to the winner by cost
  std::string wins;                     ///< "cost time", or empty
};

struct TrainingColumn {
  Listing::Field field;
  std::function<Cell(const TrainingRow&)> get;
};

/// The registry, in the order of summary.csv.
std::vector<TrainingColumn> training_columns(std::optional<Currency> currency);

/// The rows point into the report.
std::vector<TrainingRow> rows_of(const TrainingReport& report);

std::optional<Currency> currency_of(const TrainingReport& report);

}  // namespace gpucap::report
