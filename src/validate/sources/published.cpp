#include "gpucap/catalog/json_document.hpp"
#include "gpucap/catalog/json_folder.hpp"
#include "gpucap/validate/serving_case.hpp"

#include <algorithm>
#include <array>

#include "options_reader.hpp"

namespace gpucap::validate {
namespace {

using catalog::ObjectReader;

constexpr std::array rates{"out tok/s", "total tok/s", "req/s"};
const std::array<std::string, 3> latencies{"ttft", "tpot", "e2e"};

/// "tpot p50": "26.9 ms", or "out tok/s": 1063.
void read_figure(ObjectReader& object, const std::string& key, ServingCase& one) {
  if (std::find(rates.begin(), rates.end(), key) != rates.end()) {
    const auto rate = object.number(key);
    if (rate && *rate > 0) return one.measured.push_back({"throughput", key, *rate});
    if (rate) object.problem(key, "must be above 0", "out-of-range");
    return;
  }
  const auto blank = key.find(' ');
  const std::string metric = key.substr(0, blank);
  const bool known = std::find(latencies.begin(), latencies.end(), metric) != latencies.end();
  const auto time = object.quantity(key, parse_duration);
  if (!known || blank == std::string::npos) {
    object.problem(key,
                   "is neither a rate (out tok/s, total tok/s, req/s) nor ttft, tpot or e2e "
                   "with a statistic",
                   "unknown-name");
  } else if (time) {
    one.measured.push_back({metric, key.substr(blank + 1), time->in(unit::s)});
  }
}

ServingCase read_run(ObjectReader object, const std::string& source) {
  ServingCase one;
  one.source = source;
  one.id = object.required("id", object.text("id"));
  one.options = read_options(object, "options");
  if (!object.has("options")) object.problem("options", "is missing", "missing-key");
  if (auto measured = object.object("measured")) {
    for (const std::string& key : measured->keys()) read_figure(*measured, key, one);
  }
  if (one.measured.empty()) object.problem("measured", "needs a figure", "missing-key");
  one.calibration = object.flag("calibration").value_or(false);
  one.remarks = object.texts("remarks");
  object.finish();
  return one;
}

void read_file(const std::string& file, ServingCases& found) {
  auto document = catalog::JsonDocument::read(file);
  ObjectReader root(document);
  const std::string name = root.required("name", root.text("name"));
  root.required("source", root.text("source"));
  for (ObjectReader run : root.objects("runs")) found.cases.push_back(read_run(run, name));
  root.finish();
  document.throw_if_problems();
}

}  // namespace

ServingCases shipped_serving_cases(const std::filesystem::path& data_dir) {
  ServingCases found;
  for (const std::string& file :
       catalog::json_files(data_dir / "calibration" / "validation" / "published")) {
    read_file(file, found);
  }
  return found;
}

}  // namespace gpucap::validate
