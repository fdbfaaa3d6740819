#include "gpucap/calibrate/fit.hpp"

#include "gpucap/calibrate/least_squares.hpp"
#include "gpucap/core/nearest_name.hpp"
#include "gpucap/core/statistics.hpp"
#include "gpucap/units/parse.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace gpucap::calibrate {
namespace {

/// Scatter of a launch that even a right form does not explain; repeats that differ by more weigh
/// less: weight = 1 / (1 + (spread / this)^2).
constexpr double usual_scatter = 0.05;

/// Standard deviation of the group means.
double spread_of(const std::map<std::size_t, std::vector<double>>& by_group) {
  if (by_group.size() < 2) return 0;
  std::vector<double> means;
  for (const auto& [group, values] : by_group) means.push_back(*summarize(values).mean);
  const double centre = *summarize(means).mean;
  double squares = 0;
  for (const double mean : means) squares += (mean - centre) * (mean - centre);
  return std::sqrt(squares / static_cast<double>(means.size() - 1));
}

/// Driven to a bound that is as good as zero: the form does without.
bool vanished(double value, const Coefficient& coefficient) {
  constexpr double negligible = 1e-4;  // of the start
  return value < negligible * coefficient.start;
}

class PartFit {
 public:
  PartFit(const Form& form, const perf::Card& card, const PartPlan& plan, const ColdRule& cold)
      : form_(form), plan_(plan), cold_(cold) {
    result_.part = form.part;
    check_names();
    screen(card);
  }

  FittedPart run(const std::vector<ReportedRange>& ranges) {
    settle();
    search_on_all();
    search_on_chosen();
    judge(ranges);
    return std::move(result_);
  }

 private:
  [[noreturn]] void fail(std::string message, std::string code) const {
    throw InputError(Problem{"", "", form_.part, std::move(message), std::move(code)});
  }
  void check_names() const;
  void screen(const perf::Card& card);
  void settle();
  double stated_value(const Coefficient& coefficient, const Hold& hold) const;
  void search_on_all();
  void search_on_chosen();
  std::vector<std::size_t> free() const;
  std::vector<std::size_t> launches(bool held_out, bool cold_only) const;
  std::string bound_reason(const std::string& key) const;
  std::vector<Unknown> unknowns_of(const std::vector<std::size_t>& indices) const;
  Solution search(const std::vector<std::size_t>& unknowns,
                  const std::vector<std::size_t>& launches);
  void drop_undetermined(const std::vector<std::size_t>& launches);
  void judge(const std::vector<ReportedRange>& ranges);
  HeldOutError error_over(const std::vector<std::size_t>& launches, std::string range) const;
  FittedCoefficient& at(std::size_t i) { return result_.coefficients[i]; }

  const Form& form_;
  const PartPlan& plan_;
  const ColdRule& cold_;
  Split split_;
  std::vector<bool> usable_;
  std::vector<bool> settled_;
  FittedPart result_;
};

/// A plan that holds what the form does not have would be ignored in silence.
void PartFit::check_names() const {
  std::vector<std::string> known;
  for (const Coefficient& coefficient : form_.coefficients) known.push_back(coefficient.key);
  const auto check = [&](const std::string& key) {
    if (std::find(known.begin(), known.end(), key) != known.end()) return;
    fail(unknown_name("coefficient", key, known), "unknown-name");
  };
  for (const auto& [key, hold] : plan_.hold) check(key);
  for (const auto& [key, hold] : plan_.at_least) check(key);
  for (const std::string& key : plan_.without) check(key);
}

void PartFit::screen(const perf::Card& card) {
  std::vector<SplitKey> keys;
  for (const Measured& launch : form_.launches) keys.push_back(launch.key);
  split_ = split(keys);
  for (std::size_t i = 0; i < form_.launches.size(); ++i) {
    const auto fault = impossible(form_.work[i], form_.launches[i].time, card, cold_.from);
    if (fault) ++result_.refused[*fault];
    usable_.push_back(!fault);
  }
}

double PartFit::stated_value(const Coefficient& coefficient, const Hold& hold) const {
  const auto take = [&](const auto& parsed, auto in_unit) {
    if (parsed) return in_unit(*parsed);
    fail(fmt::format("{} is held at \"{}\": {}", coefficient.key, hold.value,
                     parsed.failure().message),
         parsed.failure().code);
  };
  if (coefficient.unit == "us" || coefficient.unit == "ns") {
    const Seconds unit = coefficient.unit == "us" ? unit::us : unit::ns;
    return take(parse_duration(hold.value), [&](Seconds value) { return value.in(unit); });
  }
  if (coefficient.unit == "MB") {
    return take(parse_bytes(hold.value), [](Bytes value) { return value.in(unit::MB); });
  }
  if (coefficient.unit == "GB/s") {
    return take(parse_bandwidth(hold.value),
                [](Bandwidth value) { return value.in(unit::GB_per_s); });
  }
  if (coefficient.unit == "flag" && (hold.value == "yes" || hold.value == "no")) {
    return hold.value == "yes" ? 1 : 0;
  }
  return take(parse_number(hold.value), [](double value) { return value; });
}

/// Gives held, absent and prior coefficients their values and the others their start.
void PartFit::settle() {
  for (const Coefficient& coefficient : form_.coefficients) {
    FittedCoefficient entry{coefficient.key, coefficient.symbol, coefficient.unit};
    entry.value = coefficient.start;
    entry.basis = "fitted";
    bool settled = true;
    if (plan_.without.contains(coefficient.key)) {
      entry.value = coefficient.absent;
      entry.absent = true;
      entry.basis = "no such term";
    } else if (const auto hold = plan_.hold.find(coefficient.key); hold != plan_.hold.end()) {
      entry.value = stated_value(coefficient, hold->second);
      entry.basis = "held: " + hold->second.reason;
    } else if (coefficient.prior && coefficient.known) {
      entry.value = kept(*coefficient.known);
      entry.basis = "held: as in the calibration in force";
    } else if (coefficient.prior) {
      fail(coefficient.key + " is not fitted and no plan holds it", "undetermined");
    } else {
      settled = false;
    }
    settled_.push_back(settled);
    result_.coefficients.push_back(std::move(entry));
  }
}

std::vector<std::size_t> PartFit::free() const {
  std::vector<std::size_t> indices;
  for (std::size_t i = 0; i < settled_.size(); ++i) {
    if (!settled_[i]) indices.push_back(i);
  }
  return indices;
}

std::vector<std::size_t> PartFit::launches(bool held_out, bool cold_only) const {
  std::vector<std::size_t> chosen;
  for (std::size_t i = 0; i < form_.launches.size(); ++i) {
    const bool warm = form_.work[i].bytes < cold_.from;
    const bool counts = held_out || form_.launches[i].weight > 0;
    if (usable_[i] && counts && split_.held_out[i] == held_out && !(cold_only && warm)) {
      chosen.push_back(i);
    }
  }
  return chosen;
}

std::vector<Unknown> PartFit::unknowns_of(const std::vector<std::size_t>& indices) const {
  std::vector<Unknown> list;
  for (const std::size_t i : indices) {
    const Coefficient& coefficient = form_.coefficients[i];
    double low = coefficient.low;
    if (const auto bound = plan_.at_least.find(coefficient.key); bound != plan_.at_least.end()) {
      low = stated_value(coefficient, bound->second);
    }
    list.push_back({result_.coefficients[i].value, low, coefficient.high});
  }
  return list;
}

Solution PartFit::search(const std::vector<std::size_t>& unknowns,
                         const std::vector<std::size_t>& launches) {
  const std::vector<Unknown> list = unknowns_of(unknowns);
  Observations seen;
  for (const std::size_t i : launches) {
    const Measured& launch = form_.launches[i];
    const double ratio = launch.log_spread / usual_scatter;
    seen.log_measured.push_back(std::log(launch.time.base()));
    seen.weight.push_back(launch.weight / (1 + ratio * ratio));
    seen.cluster.push_back(split_.group[i]);
  }
  std::vector<double> all = result_.values();
  return least_squares(list, seen, [&](std::span<const double> values, std::span<double> out) {
    for (std::size_t i = 0; i < unknowns.size(); ++i) all[unknowns[i]] = values[i];
    form_.predict(all, launches, out);
  });
}

/// What no launch depends on keeps the value in force, if there is one.
void PartFit::drop_undetermined(const std::vector<std::size_t>& launches) {
  const std::vector<std::size_t> unknowns = free();
  const std::vector<Unknown> list = unknowns_of(unknowns);
  std::vector<double> all = result_.values();
  const std::vector<bool> seen =
      depends(list, launches.size(), [&](std::span<const double> values, std::span<double> out) {
        for (std::size_t i = 0; i < unknowns.size(); ++i) all[unknowns[i]] = values[i];
        form_.predict(all, launches, out);
      });
  for (std::size_t i = 0; i < unknowns.size(); ++i) {
    if (seen[i]) continue;
    const Coefficient& coefficient = form_.coefficients[unknowns[i]];
    if (!coefficient.known) {
      fail(fmt::format("no launch depends on {}; hold it in a plan", coefficient.key),
           "undetermined");
    }
    at(unknowns[i]).value = kept(*coefficient.known);
    at(unknowns[i]).basis = "held: no launch depends on it; as in the calibration in force";
    settled_[unknowns[i]] = true;
  }
}

void PartFit::search_on_all() {
  const auto chosen = launches(false, false);
  if (chosen.size() < form_.coefficients.size() || launches(true, false).empty()) {
    fail(fmt::format("{} launches to fit and {} to judge by are too few", chosen.size(),
                     launches(true, false).size()),
         "too-few-samples");
  }
  drop_undetermined(chosen);
  const std::vector<std::size_t> unknowns = free();
  const bool wanted = std::any_of(unknowns.begin(), unknowns.end(), [&](std::size_t i) {
    return form_.coefficients[i].from_all_launches;
  });
  if (!wanted) return;
  const Solution found = search(unknowns, chosen);
  for (std::size_t i = 0; i < unknowns.size(); ++i) {
    at(unknowns[i]).value = found.values[i];
    if (!form_.coefficients[unknowns[i]].from_all_launches) continue;
    at(unknowns[i]).value = kept(found.values[i]);
    at(unknowns[i]).basis = "all launches, L2-warm ones included";
    settled_[unknowns[i]] = true;
  }
}

std::string PartFit::bound_reason(const std::string& key) const {
  const auto bound = plan_.at_least.find(key);
  return bound == plan_.at_least.end() ? "at the bound of its range"
                                       : "at its lower bound: " + bound->second.reason;
}

void PartFit::search_on_chosen() {
  const auto chosen = launches(false, !cold_.fit_warm);
  const std::vector<std::size_t> unknowns = free();
  if (chosen.size() < unknowns.size() || launches(true, !cold_.fit_warm).empty()) {
    fail(fmt::format("{} launches with {} of at least {:.4g} MB to fit and {} to judge by are too "
                     "few",
                     chosen.size(), cold_.word, cold_.from.in(unit::MB),
                     launches(true, !cold_.fit_warm).size()),
         "too-few-samples");
  }
  const Solution found = search(unknowns, chosen);
  for (std::size_t i = 0; i < unknowns.size(); ++i) {
    FittedCoefficient& entry = at(unknowns[i]);
    entry.value =
        vanished(found.values[i], form_.coefficients[unknowns[i]]) ? 0 : kept(found.values[i]);
    entry.standard_error = found.standard_errors[i];
    entry.fitted = true;
    if (found.at_bound[i]) entry.basis = bound_reason(entry.key);
  }
  result_.correlation = found.correlation;
  result_.points = static_cast<std::int64_t>(chosen.size());
}

HeldOutError PartFit::error_over(const std::vector<std::size_t>& launches,
                                 std::string range) const {
  std::vector<double> errors(launches.size());
  form_.predict(result_.values(), launches, errors);
  std::vector<std::size_t> groups;
  for (std::size_t i = 0; i < launches.size(); ++i) {
    errors[i] -= std::log(form_.launches[launches[i]].time.base());
    groups.push_back(split_.group[launches[i]]);
  }
  return error_summary(std::move(range), errors, groups);
}

void PartFit::judge(const std::vector<ReportedRange>& ranges) {
  const auto chosen = launches(true, !cold_.fit_warm);
  result_.held_out = error_over(chosen, "");
  const auto all = launches(true, false);
  if (all.size() > chosen.size()) {
    result_.also.push_back(error_over(all, "all held-out launches, L2-warm ones included"));
  }
  for (const ReportedRange& range : ranges) {
    std::vector<std::size_t> inside;
    std::copy_if(chosen.begin(), chosen.end(), std::back_inserter(inside), range.holds);
    if (!inside.empty()) result_.also.push_back(error_over(inside, range.name));
  }
}

}  // namespace

std::vector<double> FittedPart::values() const {
  std::vector<double> list;
  for (const FittedCoefficient& coefficient : coefficients) list.push_back(coefficient.value);
  return list;
}

HeldOutError error_summary(std::string range, const std::vector<double>& log_errors,
                           const std::vector<std::size_t>& groups) {
  HeldOutError error;
  error.range = std::move(range);
  error.points = static_cast<std::int64_t>(log_errors.size());
  if (log_errors.empty()) return error;
  std::vector<double> sizes;
  std::map<std::size_t, std::vector<double>> by_group;
  for (std::size_t i = 0; i < log_errors.size(); ++i) {
    sizes.push_back(std::fabs(std::exp(log_errors[i]) - 1));
    by_group[groups.empty() ? i : groups[i]].push_back(log_errors[i]);
  }
  const Summary summary = summarize(std::move(sizes));
  error.median = *summary.p50;
  error.p95 = *summary.p95;
  error.bias = *summarize(log_errors).mean;
  error.spread = spread_of(by_group);
  return error;
}

double kept(double value) {
  return *parse_number(fmt::format("{:.4g}", value));
}

FittedPart fit_form(const Form& form, const perf::Card& card, const PartPlan& plan,
                    const ColdRule& cold, const std::vector<ReportedRange>& ranges) {
  FittedPart part = PartFit(form, card, plan, cold).run(ranges);
  part.source = plan.source;
  if (!cold.fit_warm && cold.from > Bytes{}) part.cold_from = cold.from;
  return part;
}

}  // namespace gpucap::calibrate
