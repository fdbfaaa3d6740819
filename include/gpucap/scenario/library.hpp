#pragma once

#include "gpucap/catalog/engines.hpp"
#include "gpucap/catalog/fits.hpp"
#include "gpucap/catalog/gpus.hpp"
#include "gpucap/catalog/hosts.hpp"
#include "gpucap/catalog/models.hpp"
#include "gpucap/perf/calibration.hpp"
#include "gpucap/pricing/price_book.hpp"

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace gpucap::scenario {

/// All shipped data behind names. Each book is read when it is first asked for, so that a run
/// reads what it uses. Throws InputError for faulty data files.
class Library {
 public:
  explicit Library(std::filesystem::path data_directory);

  [[nodiscard]] const catalog::GpuBook& gpus();
  [[nodiscard]] const catalog::HostBook& hosts();
  [[nodiscard]] const catalog::EngineBook& engines();
  [[nodiscard]] const catalog::ModelBook& models();
  [[nodiscard]] const pricing::PriceBook& prices();
  [[nodiscard]] const perf::Calibration& calibration(const hardware::Gpu& gpu);

 private:
  std::filesystem::path data_;
  std::optional<catalog::GpuBook> gpus_;
  std::optional<catalog::HostBook> hosts_;
  std::optional<catalog::EngineBook> engines_;
  std::optional<catalog::ModelBook> models_;
  std::optional<pricing::PriceBook> prices_;
  catalog::FitBook fits_;
};

}  // namespace gpucap::scenario
