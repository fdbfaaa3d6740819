#include "gpucap/calibrate/fit.hpp"
#include "gpucap/calibrate/training_fit.hpp"

#include <nlohmann/json.hpp>

namespace gpucap::calibrate {
namespace {

using Json = nlohmann::ordered_json;

Json constants_json(const TrainingFit& fit) {
  Json list = Json::array();
  for (const FittedConstant& one : fit.constants) {
    list.push_back({{"constant", one.key},
                    {"value", kept(one.value)},
                    {"standard_error", kept(one.standard_error)},
                    {"interval", {kept(one.low), kept(one.high)}},
                    {"at_bound", one.at_bound}});
  }
  return list;
}

Json errors_json(const std::vector<TrainingErrors>& errors) {
  Json list = Json::array();
  for (const TrainingErrors& one : errors) {
    list.push_back({{"rows", one.part},
                    {"of", one.group},
                    {"count", one.count},
                    {"median", kept(one.median)},
                    {"worst", kept(one.worst)},
                    {"bias", kept(one.bias)}});
  }
  return list;
}

}  // namespace

std::string training_fits_json(const std::vector<TrainingFit>& fits) {
  Json all = Json::object();
  for (const TrainingFit& fit : fits) {
    all[fit.software.id] = {{"constants", constants_json(fit)},
                            {"exchange_overlap", kept(fit.software.time.exchange_overlap)},
                            {"relative_error", kept(fit.software.time.relative_error)},
                            {"errors", errors_json(fit.errors)},
                            {"left_out", errors_json(fit.left_out)}};
  }
  return all.dump(2) + "\n";
}

}  // namespace gpucap::calibrate
