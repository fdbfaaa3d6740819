#pragma once

#include "gpucap/catalog/json_document.hpp"
#include "gpucap/report/listing.hpp"
#include "gpucap/scenario/scenario.hpp"
#include "gpucap/scenario/study.hpp"

#include <string>
#include <vector>

namespace gpucap::scenario {

/// One runnable file: includes merged, settings applied, every default of engine, layout and node
/// written out, offers with their date. Running it gives the same results. An engine option that
/// differs between loads (because their models do) stays as it was written.
std::string dump_resolved(const catalog::JsonDocument& document, const Scenario& scenario,
                          const std::vector<PlannedLoad>& loads);

/// What `--dry-run` shows: one row per load and candidate, resolved and planned, nothing run.
report::Listing plan_listing(const std::vector<PlannedLoad>& loads);

}  // namespace gpucap::scenario
