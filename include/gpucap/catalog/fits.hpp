#pragma once

#include "gpucap/catalog/own_calibration.hpp"
#include "gpucap/hardware/gpu.hpp"
#include "gpucap/perf/calibration.hpp"

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace gpucap::catalog {

class FitFiles;

/// The fitted numbers of all cards, from calibration/fits below a data folder. A card is read when
/// it is first asked for; files that cards share are read once.
class FitBook {
 public:
  explicit FitBook(std::filesystem::path data_dir);
  ~FitBook();
  FitBook(FitBook&&) noexcept;
  FitBook& operator=(FitBook&&) noexcept;

  /// What was not measured on the card comes from the one that calibration/fits/transfer.json
  /// names for it; each origin says so. The answer lives as long as the book. Throws InputError: a
  /// card that transfer.json does not know, a faulty file, or a fit whose peak and bandwidth are
  /// not those of the card's spec sheet (its fractions would mean nothing).
  const perf::Calibration& of(const hardware::Gpu& gpu);

  /// From now on its parts stand in the place of the shipped ones of its card; of several the last
  /// one counts. Cards that borrow from that card go on with the shipped ones.
  void add(OwnCalibration own);
  [[nodiscard]] const std::vector<OwnCalibration>& own() const { return own_; }

 private:
  std::unique_ptr<FitFiles> files_;
  std::vector<OwnCalibration> own_;
  std::map<std::string, perf::Calibration> calibrations_;
};

/// FitBook::of for one card alone.
perf::Calibration load_calibration(const std::filesystem::path& data_dir, const hardware::Gpu& gpu);

/// The exchanges between cards alone, as no card in particular sees them: the sets measured on all
/// hosts and the rates of links. Throws InputError.
perf::Calibration load_collectives(const std::filesystem::path& data_dir);

/// What the power cap leaves of the card's peak, alone: a fit needs it before there are others.
perf::SustainedRate load_sustained_rate(const std::filesystem::path& data_dir,
                                        const hardware::Gpu& gpu);

/// Ids of the cards that have a calibration, own or transferred, in order.
std::vector<std::string> calibrated_cards(const std::filesystem::path& data_dir);

/// The files that a calibration was read from, relative to the data folder, each once, in order.
std::vector<std::string> calibration_files(const perf::Calibration& calibration);

}  // namespace gpucap::catalog
