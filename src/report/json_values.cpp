#include "json_values.hpp"

namespace gpucap::report {

Json json_of(const Cell& cell) {
  if (const auto* text = std::get_if<std::string>(&cell)) return *text;
  if (const auto* count = std::get_if<std::int64_t>(&cell)) return *count;
  if (std::holds_alternative<double>(cell)) {
    const Cell finite = number_cell(std::get<double>(cell));
    if (const auto* number = std::get_if<double>(&finite)) return *number;
  }
  return nullptr;
}

Json number(std::optional<double> value) {
  return json_of(number_cell(value));
}

Json optional_text(const std::string& text) {
  return json_of(text_cell(text));
}

std::string dumped(const Json& json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

Json provenance_json(const evaluate::Outcome::Provenance& p) {
  Json hashes = Json::object();
  for (const auto& [file, hash] : p.inputs_sha256) hashes[file] = hash;
  return {{"version", p.version},
          {"inputs_sha256", hashes},
          {"calibration", p.calibration},
          {"offers", p.offers},
          {"seed", p.seed}};
}

Json shares_json(bool known, const std::array<double, perf::cause_count>& by_cause) {
  Json shares = Json::object();
  if (!known) return shares;
  for (std::size_t i = 0; i < perf::cause_count; ++i) {
    shares[std::string(perf::name(static_cast<perf::Cause>(i)))] = number(by_cause[i]);
  }
  return shares;
}

Json summary_json(const Summary& s) {
  return {{"mean", number(s.mean)},
          {"p50", number(s.p50)},
          {"p90", number(s.p90)},
          {"p95", number(s.p95)},
          {"p99", number(s.p99)},
          {"max", number(s.max)},
          {"n", s.n}};
}

}  // namespace gpucap::report
