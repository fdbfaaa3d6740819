#pragma once

#include "gpucap/core/statistics.hpp"
#include "gpucap/evaluate/outcome.hpp"
#include "gpucap/report/cell.hpp"

#include <array>
#include <optional>
#include <string>

#include <nlohmann/json.hpp>

namespace gpucap::report {

using Json = nlohmann::ordered_json;

/// Null for nothing and for what is not finite.
Json json_of(const Cell& cell);
Json number(std::optional<double> value);
/// Null when empty.
Json optional_text(const std::string& text);
/// By cause, when anything limits at all.
Json shares_json(bool known, const std::array<double, perf::cause_count>& by_cause);
Json summary_json(const Summary& s);
Json provenance_json(const evaluate::Outcome::Provenance& p);

/// Two blanks of indent and a final line break; text that is no UTF-8 is replaced.
std::string dumped(const Json& json);

}  // namespace gpucap::report
