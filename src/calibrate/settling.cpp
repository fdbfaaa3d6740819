#include "settling.hpp"

#include "gpucap/core/nearest_name.hpp"
#include "gpucap/units/parse.hpp"

#include <algorithm>
#include <utility>

#include "part_error.hpp"
#include <fmt/format.h>

namespace gpucap::calibrate {
namespace {

/// A plan that holds what the form does not have would be ignored in silence.
void check_names(const Form& form, const PartPlan& plan) {
  std::vector<std::string> known;
  for (const Coefficient& coefficient : form.coefficients) known.push_back(coefficient.key);
  const auto check = [&](const std::string& key) {
    if (std::find(known.begin(), known.end(), key) != known.end()) return;
    throw part_error(form.part, unknown_name("coefficient", key, known), "unknown-name");
  };
  for (const auto& [key, hold] : plan.hold) check(key);
  for (const auto& [key, hold] : plan.at_least) check(key);
  for (const std::string& key : plan.without) check(key);
}

/// Gives `entry` the value that no search finds; false when a search must find it.
bool settle_one(const std::string& part, const Coefficient& coefficient, const PartPlan& plan,
                FittedCoefficient& entry) {
  if (plan.without.contains(coefficient.key)) {
    entry.value = coefficient.absent;
    entry.absent = true;
    entry.basis = "no such term";
  } else if (const auto hold = plan.hold.find(coefficient.key); hold != plan.hold.end()) {
    entry.value = stated_value(part, coefficient, hold->second);
    entry.basis = "held: " + hold->second.reason;
  } else if (!coefficient.prior) {
    entry.value = coefficient.start;
    entry.basis = "fitted";
    return false;
  } else if (coefficient.known) {
    entry.value = kept(*coefficient.known);
    entry.basis = "held: as in the calibration in force";
  } else {
    throw part_error(part, coefficient.key + " is not fitted and no plan holds it", "undetermined");
  }
  return true;
}

}  // namespace

std::vector<std::size_t> Settling::open() const {
  std::vector<std::size_t> indices;
  for (std::size_t i = 0; i < settled.size(); ++i) {
    if (!settled[i]) indices.push_back(i);
  }
  return indices;
}

Settling settle(const Form& form, const PartPlan& plan) {
  check_names(form, plan);
  Settling result;
  for (const Coefficient& coefficient : form.coefficients) {
    FittedCoefficient entry{coefficient.key, coefficient.symbol, coefficient.unit};
    result.settled.push_back(settle_one(form.part, coefficient, plan, entry));
    result.coefficients.push_back(std::move(entry));
  }
  return result;
}

double stated_value(const std::string& part, const Coefficient& coefficient, const Hold& hold) {
  const auto take = [&](const auto& parsed, auto in_unit) {
    if (parsed) return in_unit(*parsed);
    throw part_error(part,
                     fmt::format("{} is held at \"{}\": {}", coefficient.key, hold.value,
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

}  // namespace gpucap::calibrate
