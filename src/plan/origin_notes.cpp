#include "origin_notes.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace gpucap::plan {
namespace {

std::string from_where(const perf::FitOrigin& origin, const std::string& card) {
  const bool other_card = !origin.card.empty() && origin.card != card;
  return other_card ? "transferred from " + origin.card : "assumed: " + origin.source;
}

/// Says that a collective is derived, or that another version of the engine was measured.
void add_collective_note(std::vector<std::string>& notes, const ServingPlan& plan,
                         const std::optional<perf::CollectiveFit>& fit, const char* what) {
  if (!fit) return;
  const std::string& host = plan.question.node.host.id;
  const std::string on = fmt::format("{} over {} cards on {}", what, fit->ranks, host);
  if (fit->implementation == "links") {
    const std::string band =
        fit->interval > 0 ? fmt::format(", within {:.0f} %", 100 * fit->interval) : "";
    notes.push_back(on + " is derived from the links, not measured" + band);
  } else if (!fit->origin.measured) {
    notes.push_back(fmt::format("{} was measured with {}", on, fit->origin.card));
  }
}

}  // namespace

std::vector<std::string> origin_notes(const ServingPlan& plan) {
  const std::string& card = plan.question.node.gpu.id;
  std::vector<std::pair<std::string, std::vector<std::string>>> by_source;
  for (const auto& [part, origin] : perf::parts_of(plan.question.calibration)) {
    if (origin->measured) continue;
    const std::string source = from_where(*origin, card);
    const auto known = std::find_if(by_source.begin(), by_source.end(),
                                    [&](const auto& entry) { return entry.first == source; });
    auto& entry = known == by_source.end()
                      ? by_source.emplace_back(source, std::vector<std::string>{})
                      : *known;
    entry.second.push_back(part);
  }
  std::vector<std::string> notes;
  for (const auto& [source, parts] : by_source) {
    notes.push_back(fmt::format("times of {} are {} ({})", card, source, fmt::join(parts, ", ")));
  }
  add_collective_note(notes, plan, plan.all_reduce, "all-reduce");
  add_collective_note(notes, plan, plan.send_recv, "copying between stages");
  return notes;
}

}  // namespace gpucap::plan
