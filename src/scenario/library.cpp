#include "gpucap/scenario/library.hpp"

#include "gpucap/catalog/offers.hpp"

namespace gpucap::scenario {
namespace {

/// What is kept under the name, else what can be read alone, else what the whole book says.
template <class Value, class Load, class Find>
const Value* alone(std::map<std::string, Value>& kept, const std::string& name, Load load,
                   Find find) {
  if (const auto found = kept.find(name); found != kept.end()) return &found->second;
  if (auto read = load()) return &kept.emplace(name, std::move(*read)).first->second;
  return find();
}

}  // namespace

Library::Library(std::filesystem::path data_directory)
    : data_(std::move(data_directory)), fits_(data_) {}

const catalog::GpuBook& Library::gpus() {
  if (!gpus_) gpus_ = catalog::load_gpus(data_);
  return *gpus_;
}

const hardware::Gpu* Library::gpu(const std::string& name) {
  return alone(
      gpus_alone_, name, [&] { return catalog::load_gpu(data_, name); },
      [&] { return gpus().find(name); });
}

const perf::EngineProfile* Library::engine(const std::string& id) {
  return alone(
      engines_alone_, id, [&] { return catalog::load_engine(data_, id); },
      [&] { return engines().find(id); });
}

const catalog::HostBook& Library::hosts() {
  if (!hosts_) hosts_ = catalog::load_hosts(data_);
  return *hosts_;
}

const catalog::EngineBook& Library::engines() {
  if (!engines_) engines_ = catalog::load_engines(data_);
  return *engines_;
}

const catalog::ModelBook& Library::models() {
  if (!models_) models_ = catalog::load_models(data_);
  return *models_;
}

const std::map<std::string, models::ConvNet>& Library::conv_nets() {
  if (!conv_nets_) conv_nets_ = catalog::load_conv_nets(data_);
  return *conv_nets_;
}

const std::map<std::string, training::RatedModel>& Library::rated_models() {
  if (!rated_models_) rated_models_ = catalog::load_rated_models(data_);
  return *rated_models_;
}

const catalog::SoftwareBook& Library::software() {
  if (!software_) software_ = catalog::load_software(data_);
  return *software_;
}

const pricing::PriceBook& Library::prices() {
  if (!prices_) {
    prices_ = catalog::load_price_book(data_, catalog::gpu_ids(data_));
  }
  return *prices_;
}

perf::EngineProfile Library::beside(perf::EngineProfile engine, const hardware::Gpu& gpu) const {
  for (const catalog::OwnCalibration& own : own_calibrations()) {
    if (own.card != gpu.id || !own.engine || own.engine->id != engine.id) continue;
    engine.host = own.engine->host;
  }
  return engine;
}

const perf::Calibration& Library::calibration(const hardware::Gpu& gpu) {
  return fits_.of(gpu);
}

}  // namespace gpucap::scenario
