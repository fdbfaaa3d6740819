#include <algorithm>

#include "sections.hpp"
#include "terms.hpp"
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace gpucap::scenario {
namespace {

/// Fits older than half a year are worth a word: drivers and libraries have moved on.
constexpr std::int64_t stale_after_days = 183;

/// ", products by 77 % off on held-out launches" for each part that its own launches belie.
std::string doubts(const catalog::OwnCalibration& own) {
  constexpr double bad = 0.25;
  std::string text;
  const auto add = [&](const char* part, const auto& fitted) {
    if (!fitted || !fitted->origin.quality) return;
    const double error = fitted->origin.quality->median_error;
    if (error > bad) {
      text += fmt::format("; DOUBTFUL: its {} are {:.0f} % off on launches that were held out",
                          part, 100 * error);
    }
  };
  add("products", own.gemm);
  add("prompt attention times", own.prefill);
  add("decode attention times", own.decode);
  add("element-wise kernels", own.elementwise);
  return text;
}

/// "calibrated by my.json: NVIDIA H200, gpucap calibrate, 2026-12-01, 200 days before 2027-06-19"
std::string told(const catalog::OwnCalibration& own, const std::optional<pricing::Date>& day) {
  const auto& on = own.measured_on;
  std::string text = fmt::format("calibrated by {}: ", own.file);
  if (!on.name.empty()) text += on.name + ", ";
  text += on.method;
  if (!on.driver.empty()) text += ", driver " + on.driver;
  if (!on.date) return text + ", undated: its age is not known" + doubts(own);
  text += ", " + on.date->text();
  const std::int64_t days = day ? days_between(*on.date, *day) : 0;
  if (days > stale_after_days) {
    text +=
        fmt::format(", {} days before {}: drivers and engines may have changed", days, day->text());
  }
  return text + doubts(own);
}

/// One file or a list of them.
std::vector<std::string> names_of(ObjectReader& root) {
  const nlohmann::json* value = root.raw("calibrations");
  if (value == nullptr || !value->is_string()) return root.texts("calibrations");
  return {value->get<std::string>()};
}

}  // namespace

void read_calibrations(ObjectReader& root, const Reading& reading, Common& scenario) {
  for (const std::string& name : names_of(root)) {
    const auto path = path_from(root, "calibrations", name, reading);
    const auto find = [&](const std::string& id) { return reading.library.gpu(id); };
    try {
      auto own = catalog::read_own_calibration(catalog::JsonDocument::read(path.string()), find);
      if (own.engine && reading.library.engine(own.engine->id) == nullptr) {
        root.problem(
            "calibrations",
            fmt::format("{} is of engine \"{}\", which is not known", name, own.engine->id),
            "unknown-name");
        continue;
      }
      scenario.inputs_sha256[name] = own.sha256;
      reading.library.add(std::move(own));
    } catch (const InputError& error) {
      for (Problem problem : error.problems()) {
        if (!problem.position.empty() || !problem.pointer.empty()) throw;
        root.problem("calibrations", fmt::format("{}: {}", problem.file, problem.message),
                     problem.code);
      }
    }
  }
}

std::vector<std::string> calibration_notes(const Library& library, const AllRented& candidates,
                                           const Rented& candidate,
                                           const std::optional<pricing::Date>& day) {
  std::vector<std::string> notes;
  for (const catalog::OwnCalibration& own : library.own_calibrations()) {
    const auto has_card = [&](const Rented* one) { return one->node.gpu.id == own.card; };
    if (has_card(&candidate)) {
      notes.push_back(told(own, day));
    } else if (std::none_of(candidates.begin(), candidates.end(), has_card)) {
      notes.push_back(fmt::format("{} is of {}, which no candidate has: it changes nothing",
                                  own.file, own.card));
    }
  }
  return notes;
}

}  // namespace gpucap::scenario
