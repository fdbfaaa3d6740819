#include "gpucap/calibrate/calibration_file.hpp"

#include "gpucap/calibrate/store.hpp"

#include "json_layout.hpp"
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace gpucap::calibrate {
namespace {

using Json = nlohmann::ordered_json;

Json measured_on(const CalibrationFile::MeasuredOn& said) {
  Json out;
  out["name"] = said.name;
  if (!said.date.empty()) out["date"] = said.date;
  out["method"] = said.method;
  for (const auto& [key, text] : said.more) out[key] = text;
  return out;
}

Json engine_of(const CalibrationFile::Engine& engine) {
  const auto us = [](Seconds time) { return fmt::format("{:.4g} us", time.in(unit::us)); };
  Json out;
  out["id"] = engine.id;
  out["gap"] = us(engine.host.gap);
  out["gap_per_sequence"] = us(engine.host.gap_per_sequence);
  out["floor_per_layer"] = us(engine.host.floor_per_layer);
  out["per_sequence"] = us(engine.host.per_sequence);
  out["front_end"] = us(engine.host.front_end);
  out["source"] = engine.source;
  out["identified"] = engine.identified;
  return out;
}

Json power_of(const perf::Calibration::Power& power) {
  return {{"active_floor", rounded(power.active_floor, 4)},
          {"compute", rounded(power.compute, 4)},
          {"memory", rounded(power.memory, 4)},
          {"spread", rounded(power.origin.transfer_spread, 4)},
          {"source", power.origin.source}};
}

}  // namespace

std::string calibration_json(const CalibrationFile& file) {
  Json root;
  root["format"] = "gpucap-calibration/1";
  const Json fitted = Json::parse(fit_json(file.fitted));
  for (const auto& item : fitted.items()) {
    if (item.key() == "notes") continue;  // they end the file
    root[item.key()] = item.value();
    if (item.key() == "fitted_with") root["measured_on"] = measured_on(file.measured_on);
  }
  if (file.engine) root["engine"] = engine_of(*file.engine);
  if (file.power) root["power"] = power_of(*file.power);
  if (!file.fitted.notes.empty()) root["notes"] = file.fitted.notes;
  return laid_out(root) + "\n";
}

}  // namespace gpucap::calibrate
