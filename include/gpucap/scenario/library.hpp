#pragma once

#include "gpucap/catalog/conv_nets.hpp"
#include "gpucap/catalog/engines.hpp"
#include "gpucap/catalog/fits.hpp"
#include "gpucap/catalog/gpus.hpp"
#include "gpucap/catalog/hosts.hpp"
#include "gpucap/catalog/models.hpp"
#include "gpucap/catalog/rated_models.hpp"
#include "gpucap/catalog/software.hpp"
#include "gpucap/perf/calibration.hpp"
#include "gpucap/pricing/price_book.hpp"

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace gpucap::scenario {

/// All shipped data behind names. Each book, and each card or engine asked for by its id, is read
/// when it is first asked for and then kept, so that a run reads what it uses and reads it once.
/// Answers live as long as the library. Throws InputError for faulty data files.
class Library {
 public:
  explicit Library(std::filesystem::path data_directory);

  [[nodiscard]] const catalog::GpuBook& gpus();
  [[nodiscard]] const catalog::HostBook& hosts();
  [[nodiscard]] const catalog::EngineBook& engines();
  /// By id or alias; null when there is none. A card asked for by its id is read alone.
  [[nodiscard]] const hardware::Gpu* gpu(const std::string& name);
  /// By id, read alone; null when there is none.
  [[nodiscard]] const perf::EngineProfile* engine(const std::string& id);
  [[nodiscard]] const catalog::ModelBook& models();
  [[nodiscard]] const std::map<std::string, models::ConvNet>& conv_nets();
  [[nodiscard]] const std::map<std::string, training::RatedModel>& rated_models();
  [[nodiscard]] const catalog::SoftwareBook& software();
  [[nodiscard]] const pricing::PriceBook& prices();
  [[nodiscard]] const perf::Calibration& calibration(const hardware::Gpu& gpu);

  /// A calibration of the user's own: from now on it stands in the place of the shipped parts.
  void add(catalog::OwnCalibration own) { fits_.add(std::move(own)); }
  [[nodiscard]] const std::vector<catalog::OwnCalibration>& own_calibrations() const {
    return fits_.own();
  }
  /// The profile with the host time that a user's calibration found for it beside this card.
  [[nodiscard]] perf::EngineProfile beside(perf::EngineProfile engine,
                                           const hardware::Gpu& gpu) const;

 private:
  std::filesystem::path data_;
  std::optional<catalog::GpuBook> gpus_;
  std::optional<catalog::HostBook> hosts_;
  std::optional<catalog::EngineBook> engines_;
  std::optional<catalog::ModelBook> models_;
  std::optional<std::map<std::string, models::ConvNet>> conv_nets_;
  std::optional<std::map<std::string, training::RatedModel>> rated_models_;
  std::optional<catalog::SoftwareBook> software_;
  std::optional<pricing::PriceBook> prices_;
  std::map<std::string, hardware::Gpu> gpus_alone_;
  std::map<std::string, perf::EngineProfile> engines_alone_;
  catalog::FitBook fits_;
};

}  // namespace gpucap::scenario
