#include "gpucap/report/training.hpp"

#include "training_columns.hpp"
#include <fmt/format.h>

namespace gpucap::report {

using evaluate::TrainingOutcome;

Listing training_details(const TrainingOutcome& outcome) {
  Listing listing{{{"figure", "FIGURE"}, {"value", "VALUE"}}, {}};
  const TrainingRow row{&outcome, std::nullopt, ""};
  for (const TrainingColumn& column : training_columns(outcome.cost.currency)) {
    const Cell value = column.get(row);
    if (std::holds_alternative<std::monostate>(value)) continue;
    listing.rows.push_back({column.field.name, shown(value, column.field.shown)});
  }
  if (outcome.search) {
    listing.rows.push_back({"layouts_tried", fmt::format("{}", outcome.search->tried)});
    listing.rows.push_back({"layouts_that_fit", fmt::format("{}", outcome.search->fit)});
    if (outcome.search->cheapest) {
      listing.rows.push_back(
          {"cheapest_layout",
           fmt::format("{} ({:.2f}x the cost, {:.2f}x the time)",
                       layout_text(*outcome.search->cheapest), outcome.search->cheapest_cost_ratio,
                       outcome.search->cheapest_time_ratio)});
    }
  }
  return listing;
}

Listing training_memory_details(const TrainingOutcome& outcome) {
  Listing listing{{{"figure", "FIGURE"}, {"value", "VALUE", Shown::plain}}, {}};
  const auto add = [&](std::string name, Cell value) {
    if (std::holds_alternative<std::monostate>(value)) return;
    listing.rows.push_back({std::move(name), std::move(value)});
  };
  add("fits", std::string(outcome.feasible ? "yes" : "no"));
  add("reason", text_cell(outcome.reason.value_or("")));
  add("layout", layout_text(outcome.layout));
  const TrainingRow row{&outcome, std::nullopt, ""};
  for (const TrainingColumn& column : training_columns(std::nullopt)) {
    if (column.field.name.ends_with("_gib")) add(column.field.name, column.get(row));
  }
  if (outcome.memory) {
    for (const auto& [name, bytes] : outcome.memory->terms) {
      add("  " + name + "_gib", number_cell(bytes.in(unit::GiB)));
    }
  }
  const auto size = [](std::int64_t value) { return value > 0 ? Cell{value} : Cell{}; };
  add("largest_micro_batch", size(outcome.largest.micro_batch));
  add("largest_seq_len", size(outcome.largest.seq_len));
  return listing;
}

Listing cure_listing(const TrainingOutcome& outcome) {
  Listing listing{{{"what", "CURE"},
                   {"saved_gib", "SAVES GiB", Shown::plain},
                   {"step_s", "STEP", Shown::seconds},
                   {"lost_percent", "LOST %", Shown::plain},
                   {"fits", "FITS", Shown::yes_no}},
                  {}};
  const auto add = [&](const training::Cure& cure) {
    const Seconds before = cure.step - cure.lost;
    listing.rows.push_back({cure.what, number_cell(cure.saved.in(unit::GiB)),
                            number_cell(cure.step.in(unit::s)),
                            number_cell(cure.lost / before * 100), flag_cell(cure.fits)});
  };
  for (const training::Cure& cure : outcome.cures.single) add(cure);
  const auto& cheapest = outcome.cures.cheapest;
  const bool joined = cheapest && cheapest->what.find(" + ") != std::string::npos;
  if (joined) add(*cheapest);
  return listing;
}

}  // namespace gpucap::report
