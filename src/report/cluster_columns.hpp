#pragma once

#include "gpucap/report/cluster.hpp"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace gpucap::report {

struct ClusterRow {
  std::string policy;
  const evaluate::ClusterOutcome* outcome = nullptr;
};

struct ClusterColumn {
  Listing::Field field;
  std::function<Cell(const ClusterRow&)> get;
};

/// The registry, in the order of summary.csv.
std::vector<ClusterColumn> cluster_columns(std::optional<Currency> currency);
std::optional<Currency> currency_of(const ClusterReport& report);

}  // namespace gpucap::report
