#pragma once

#include "gpucap/report/listing.hpp"
#include "gpucap/report/run_report.hpp"
#include "gpucap/report/table.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace gpucap::report {

/// The chosen columns of the candidates of one load; the winner by cost is marked.
Table run_table(const LoadReport& load, std::optional<Currency> currency);

/// Who wins and by how much: "Verdict ..." and, below, one line for each loser.
std::string verdict_text(const LoadReport& load);

/// Headline, then table and verdict of each load, for a terminal of `width` columns (absent: keep
/// every column).
std::string run_text(const RunReport& report, std::optional<std::size_t> width);

/// The same as Markdown.
std::string run_markdown(const RunReport& report);

/// What must be known before believing the figures, once each, with the candidates it is true of;
/// for the diagnostics stream.
std::vector<std::string> run_notes(const RunReport& report);

/// Every figure of one candidate that exists, one per line: `estimate serving`.
Listing details(const evaluate::Outcome& outcome);

/// The `memory` command's answer, one line per term.
Listing memory_details(const MemoryAnswer& answer);

}  // namespace gpucap::report
