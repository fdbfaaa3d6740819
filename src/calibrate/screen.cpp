#include "gpucap/calibrate/screen.hpp"

#include "gpucap/hardware/measuring_tolerance.hpp"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>

namespace gpucap::calibrate {
namespace {

std::string lower(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return out;
}

bool names_card(const std::vector<std::string>& names, std::string_view gpu) {
  return std::find(names.begin(), names.end(), lower(gpu)) != names.end();
}

}  // namespace

bool RowChoice::takes(const SampleTable& table, std::size_t row, Refusals& refused) const {
  if (!table.matches(row, rows)) return false;
  const bool card_by_filter = rows.contains("gpu") || !table.has("gpu");
  if (!card_by_filter && !names_card(card_names, table.text(row, "gpu"))) return false;
  for (const Exclusion& exclusion : exclusions) {
    if (!table.matches(row, exclusion.where)) continue;
    ++refused[exclusion.reason];
    return false;
  }
  return true;
}

std::optional<std::string> impossible(const perf::Work& work, Seconds time, const perf::Card& card,
                                      Bytes cache) {
  using hardware::measuring_tolerance;
  constexpr double most = 1 + measuring_tolerance;
  if (time <= Seconds{}) return "time not above zero";
  if (work.flops / time > most * card.peak) {
    return fmt::format("rate above peak + {:.0f} %", 100 * measuring_tolerance);
  }
  if (work.bytes >= cache && work.bytes / time > most * card.bandwidth) {
    return fmt::format("traffic above bandwidth + {:.0f} %", 100 * measuring_tolerance);
  }
  return std::nullopt;
}

}  // namespace gpucap::calibrate
