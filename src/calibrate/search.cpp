#include "search.hpp"

#include "gpucap/calibrate/least_squares.hpp"

#include <algorithm>
#include <cmath>

#include "part_error.hpp"
#include <fmt/format.h>

namespace gpucap::calibrate {
namespace {

using Heat = ScreenedLaunches::Heat;
using Indices = std::vector<std::size_t>;

/// Scatter of a launch that even a right form does not explain; repeats that differ by more weigh
/// less: weight = 1 / (1 + (spread / this)^2).
constexpr double usual_scatter = 0.05;

/// Driven to a bound that is as good as zero: the form does without.
bool vanished(double value, const Coefficient& coefficient) {
  constexpr double negligible = 1e-4;  // of the start
  return value < negligible * coefficient.start;
}

class PartSearch {
 public:
  PartSearch(const Form& form, const PartPlan& plan, const ColdRule& cold,
             const ScreenedLaunches& launches, Settling& settling)
      : form_(form), plan_(plan), cold_(cold), launches_(launches), settling_(settling) {}

  void on_all();
  SearchResult on_ruled();

 private:
  void keep_undetermined(const Indices& launches);
  [[nodiscard]] std::vector<Unknown> unknowns_of(const Indices& open) const;
  [[nodiscard]] LogModel model_of(const Indices& open, const Indices& launches) const;
  [[nodiscard]] Solution solve(const Indices& open, const Indices& launches) const;
  [[nodiscard]] std::string bound_reason(const std::string& key) const;
  FittedCoefficient& at(std::size_t i) { return settling_.coefficients[i]; }

  const Form& form_;
  const PartPlan& plan_;
  const ColdRule& cold_;
  const ScreenedLaunches& launches_;
  Settling& settling_;
};

std::vector<Unknown> PartSearch::unknowns_of(const Indices& open) const {
  std::vector<Unknown> list;
  for (const std::size_t i : open) {
    const Coefficient& coefficient = form_.coefficients[i];
    double low = coefficient.low;
    if (const auto bound = plan_.at_least.find(coefficient.key); bound != plan_.at_least.end()) {
      low = stated_value(form_.part, coefficient, bound->second);
    }
    list.push_back({settling_.coefficients[i].value, low, coefficient.high});
  }
  return list;
}

/// The form with its open coefficients free and the others as they are.
LogModel PartSearch::model_of(const Indices& open, const Indices& launches) const {
  return [&, all = values_of(settling_.coefficients)](std::span<const double> values,
                                                      std::span<double> out) mutable {
    for (std::size_t i = 0; i < open.size(); ++i) all[open[i]] = values[i];
    form_.predict(all, launches, out);
  };
}

Solution PartSearch::solve(const Indices& open, const Indices& launches) const {
  Observations seen;
  for (const std::size_t i : launches) {
    const Measured& launch = form_.launches[i];
    const double ratio = launch.log_spread / usual_scatter;
    seen.log_measured.push_back(std::log(launch.time.base()));
    seen.weight.push_back(launch.weight / (1 + ratio * ratio));
    seen.cluster.push_back(launches_.group(i));
  }
  return least_squares(unknowns_of(open), seen, model_of(open, launches));
}

/// What no launch depends on keeps the value in force, if there is one.
void PartSearch::keep_undetermined(const Indices& launches) {
  const Indices open = settling_.open();
  const std::vector<bool> seen =
      depends(unknowns_of(open), launches.size(), model_of(open, launches));
  for (std::size_t i = 0; i < open.size(); ++i) {
    if (seen[i]) continue;
    const Coefficient& coefficient = form_.coefficients[open[i]];
    if (!coefficient.known) {
      throw part_error(form_.part,
                       fmt::format("no launch depends on {}; hold it in a plan", coefficient.key),
                       "undetermined");
    }
    at(open[i]).value = kept(*coefficient.known);
    at(open[i]).basis = "held: no launch depends on it; as in the calibration in force";
    settling_.settled[open[i]] = true;
  }
}

void PartSearch::on_all() {
  const Indices shown = launches_.to_fit(Heat::any);
  const Indices judging = launches_.to_judge(Heat::any);
  if (shown.size() < form_.coefficients.size() || judging.empty()) {
    throw part_error(form_.part,
                     fmt::format("{} launches to fit and {} to judge by are too few", shown.size(),
                                 judging.size()),
                     "too-few-samples");
  }
  keep_undetermined(shown);
  const Indices open = settling_.open();
  const bool wanted = std::any_of(open.begin(), open.end(), [&](std::size_t i) {
    return form_.coefficients[i].from_all_launches;
  });
  if (!wanted) return;
  const Solution found = solve(open, shown);
  for (std::size_t i = 0; i < open.size(); ++i) {
    at(open[i]).value = found.values[i];  // the others start the next search from here
    if (!form_.coefficients[open[i]].from_all_launches) continue;
    at(open[i]).value = kept(found.values[i]);
    at(open[i]).basis = "all launches, L2-warm ones included";
    settling_.settled[open[i]] = true;
  }
}

std::string PartSearch::bound_reason(const std::string& key) const {
  const auto bound = plan_.at_least.find(key);
  return bound == plan_.at_least.end() ? "at the bound of its range"
                                       : "at its lower bound: " + bound->second.reason;
}

SearchResult PartSearch::on_ruled() {
  const Indices shown = launches_.to_fit(Heat::ruled);
  const Indices judging = launches_.to_judge(Heat::ruled);
  const Indices open = settling_.open();
  if (shown.size() < open.size() || judging.empty()) {
    throw part_error(
        form_.part,
        fmt::format("{} launches with {} of at least {:.4g} MB to fit and {} to judge by are too "
                    "few",
                    shown.size(), cold_.word, cold_.from.in(unit::MB), judging.size()),
        "too-few-samples");
  }
  const Solution found = solve(open, shown);
  for (std::size_t i = 0; i < open.size(); ++i) {
    FittedCoefficient& entry = at(open[i]);
    entry.value =
        vanished(found.values[i], form_.coefficients[open[i]]) ? 0 : kept(found.values[i]);
    entry.standard_error = found.standard_errors[i];
    entry.fitted = true;
    if (found.at_bound[i]) entry.basis = bound_reason(entry.key);
  }
  return {found.correlation, static_cast<std::int64_t>(shown.size())};
}

}  // namespace

SearchResult search(const Form& form, const PartPlan& plan, const ColdRule& cold,
                    const ScreenedLaunches& launches, Settling& settling) {
  PartSearch sought(form, plan, cold, launches, settling);
  sought.on_all();
  return sought.on_ruled();
}

}  // namespace gpucap::calibrate
