#include "gpucap/calibrate/fit.hpp"

#include "gpucap/units/parse.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "launches.hpp"
#include "search.hpp"
#include "settling.hpp"
#include <fmt/format.h>

namespace gpucap::calibrate {
namespace {

using Heat = ScreenedLaunches::Heat;

/// Judges one set of coefficients by launches that their search was not shown.
struct Judge {
  const Form& form;
  const ScreenedLaunches& launches;
  std::vector<double> values;  ///< of all coefficients

  [[nodiscard]] HeldOutError over(const std::vector<std::size_t>& chosen, std::string range) const {
    std::vector<double> errors(chosen.size());
    form.predict(values, chosen, errors);
    std::vector<std::size_t> groups;
    for (std::size_t i = 0; i < chosen.size(); ++i) {
      errors[i] -= std::log(form.launches[chosen[i]].time.base());
      groups.push_back(launches.group(chosen[i]));
    }
    return error_summary(std::move(range), errors, groups);
  }
};

void judge(const Judge& judge, const std::vector<ReportedRange>& ranges, FittedPart& part) {
  const auto ruled = judge.launches.to_judge(Heat::ruled);
  part.held_out = judge.over(ruled, "");
  const auto all = judge.launches.to_judge(Heat::any);
  if (all.size() > ruled.size()) {
    part.also.push_back(judge.over(all, "all held-out launches, L2-warm ones included"));
  }
  for (const ReportedRange& range : ranges) {
    std::vector<std::size_t> inside;
    std::copy_if(ruled.begin(), ruled.end(), std::back_inserter(inside), range.holds);
    if (!inside.empty()) part.also.push_back(judge.over(inside, range.name));
  }
}

}  // namespace

std::vector<double> values_of(const std::vector<FittedCoefficient>& coefficients) {
  std::vector<double> list;
  for (const FittedCoefficient& coefficient : coefficients) list.push_back(coefficient.value);
  return list;
}

double kept(double value) {
  return *parse_number(fmt::format("{:.4g}", value));
}

FittedPart fit_form(const Form& form, const perf::Card& card, const PartPlan& plan,
                    const ColdRule& cold, const std::vector<ReportedRange>& ranges) {
  Settling settling = settle(form, plan);
  const ScreenedLaunches launches(form, card, cold);
  SearchResult found = search(form, plan, cold, launches, settling);
  FittedPart part;
  part.part = form.part;
  part.correlation = std::move(found.correlation);
  part.points = found.points;
  part.refused = launches.refused();
  part.source = plan.source;
  if (!cold.fit_warm && cold.from > Bytes{}) part.cold_from = cold.from;
  judge({form, launches, values_of(settling.coefficients)}, ranges, part);
  part.coefficients = std::move(settling.coefficients);
  return part;
}

}  // namespace gpucap::calibrate
