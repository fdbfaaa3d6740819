#pragma once

#include "gpucap/evaluate/outcome.hpp"
#include "gpucap/report/cell.hpp"

#include <string>
#include <utility>
#include <vector>

namespace gpucap::report {

/// All candidates under one load.
struct LoadReport {
  std::string name;
  std::vector<evaluate::Outcome> candidates;
};

/// What one `run` found. Costs are in one currency throughout.
struct RunReport {
  std::string scenario;
  std::vector<std::string> headline;  ///< lines above the table: workload, objective, currency
  std::vector<LoadReport> loads;
};

/// The answer of the `memory` command for serving.
struct MemoryAnswer {
  std::string name;
  perf::ServingFootprint footprint;
  std::int64_t largest_context = 0;      ///< tokens of one request that the KV cache can hold
  std::int64_t largest_concurrency = 0;  ///< requests of `concurrency_tokens` that fit at once
  std::int64_t concurrency_tokens = 0;
  evaluate::Outcome::Provenance provenance;
};

/// One line of a bill: FOCUS column names and their values, in order.
using CostLine = std::vector<std::pair<std::string, Cell>>;

}  // namespace gpucap::report
