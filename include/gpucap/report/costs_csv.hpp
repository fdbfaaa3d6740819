#pragma once

#include "gpucap/report/run_report.hpp"

#include <span>
#include <string>

namespace gpucap::report {

/// costs.csv: one row per line; the columns are the names of all lines in the order in which they
/// first appear, a line without a name has an empty field there.
std::string costs_csv(std::span<const CostLine> lines);

}  // namespace gpucap::report
