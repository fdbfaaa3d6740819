#pragma once

#include "gpucap/calibrate/sample_table.hpp"
#include "gpucap/perf/kernel.hpp"
#include "gpucap/units/quantity.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace gpucap::calibrate {

/// Rows that were not used, by reason. Nothing is dropped without being counted here.
using Refusals = std::map<std::string, std::int64_t>;

/// Rows of known tables that must not be used, and why.
struct Exclusion {
  RowFilter where;
  std::string reason;
};

/// Which rows of a table a fit takes.
struct RowChoice {
  RowFilter rows;                       ///< must match
  std::vector<std::string> card_names;  ///< in lower case; a "gpu" column must hold one of them
  std::vector<Exclusion> exclusions;

  /// Counts a row that is refused; rows of other cards, layers or kernels are merely not chosen.
  [[nodiscard]] bool takes(const SampleTable& table, std::size_t row, Refusals& refused) const;
};

/// Why a launch of this work cannot have taken this time on the card ("rate above peak + 2 %", by
/// hardware::measuring_tolerance); nothing when it can. Bandwidth is only held against launches
/// whose bytes outgrow the cache: smaller ones may well be served from it.
std::optional<std::string> impossible(const perf::Work& work, Seconds time, const perf::Card& card,
                                      Bytes cache);

}  // namespace gpucap::calibrate
