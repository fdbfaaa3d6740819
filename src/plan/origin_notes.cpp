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

/// What stands behind the times of quantised products; empty for plain weights and own fits.
std::string format_note(const ServingPlan& plan) {
  const models::WeightFormat& weights = plan.question.engine.weights;
  if (weights.kernels == models::ProductKernels::plain) return "";
  const auto& formats = plan.question.calibration.formats;
  const auto found = formats.find(weights.kernels);
  if (found == formats.end()) {
    return fmt::format("times with {} weights use the fit of 16-bit products: not validated",
                       weights.name);
  }
  const perf::FormatFit& fit = found->second;
  if (fit.origin.measured && fit.caveat.empty()) return "";
  const auto from =
      fit.origin.measured ? std::string("measured") : "transferred from " + fit.origin.card;
  return fmt::format("times of products with {} weights are {}, within {:.0f} %{}", weights.name,
                     from, 100 * fit.interval, fit.caveat.empty() ? "" : ": " + fit.caveat);
}

std::string expert_note(const ServingPlan& plan) {
  const auto& experts = plan.question.calibration.experts;
  if (!plan.question.model.experts || !experts || experts->origin.measured) return "";
  return fmt::format("times of routed experts are transferred from {}, within {:.0f} %",
                     experts->origin.card, 100 * experts->interval);
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
  if (auto note = format_note(plan); !note.empty()) notes.push_back(std::move(note));
  if (auto note = expert_note(plan); !note.empty()) notes.push_back(std::move(note));
  add_collective_note(notes, plan, plan.all_reduce, "all-reduce");
  add_collective_note(notes, plan, plan.send_recv, "copying between stages");
  return notes;
}

}  // namespace gpucap::plan
