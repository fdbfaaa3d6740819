#include "gpucap/scenario/library.hpp"

#include "gpucap/catalog/offers.hpp"

namespace gpucap::scenario {

Library::Library(std::filesystem::path data_directory)
    : data_(std::move(data_directory)), fits_(data_) {}

const catalog::GpuBook& Library::gpus() {
  if (!gpus_) gpus_ = catalog::load_gpus(data_);
  return *gpus_;
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

const pricing::PriceBook& Library::prices() {
  if (!prices_) {
    std::vector<std::string> known;
    for (const hardware::Gpu& gpu : gpus().all()) known.push_back(gpu.id);
    prices_ = catalog::load_price_book(data_, known);
  }
  return *prices_;
}

const perf::Calibration& Library::calibration(const hardware::Gpu& gpu) {
  return fits_.of(gpu);
}

}  // namespace gpucap::scenario
