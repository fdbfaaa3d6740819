#pragma once

#include "gpucap/report/run_report.hpp"

#include <string>

namespace gpucap::report {

// The JSON of the command line contract: keys in its order, two blanks of indent, a final line
// break, every double as text that reads back equal, null for what does not exist.

/// One candidate, as `estimate serving` prints it.
std::string outcome_json(const evaluate::Outcome& outcome);

/// All loads, candidates and winners: summary.json.
std::string run_json(const RunReport& report);

/// Answer of `memory serving`.
std::string memory_json(const MemoryAnswer& answer);

}  // namespace gpucap::report
