#pragma once

#include "gpucap/catalog/json_document.hpp"
#include "gpucap/hardware/gpu.hpp"
#include "gpucap/perf/calibration.hpp"

#include <filesystem>
#include <optional>
#include <string>

namespace gpucap::catalog {

/// Folder of the fits below the data folder.
inline constexpr std::string_view fits_folder = "calibration/fits";

/// calibration/fits/<card>-<what>.json, or a calibration of the user's own, while it is read.
class FitFile {
 public:
  /// Checks the head: the card's id and, when it is `asked` itself, its peak and bandwidth.
  FitFile(const std::filesystem::path& data_dir, const std::string& card, const std::string& what,
          const hardware::Gpu& asked);
  /// A file of another name and place, of `card` itself.
  FitFile(JsonDocument document, const hardware::Gpu& card);

  FitFile(const FitFile&) = delete;  // root_ points into document_
  FitFile& operator=(const FitFile&) = delete;

  [[nodiscard]] const std::string& name() const { return name_; }
  ObjectReader& root() { return root_; }
  ObjectReader part(std::string_view key);  ///< an absent part is a problem and reads as empty
  perf::FitOrigin origin(ObjectReader& part) const;
  void close();  ///< throws InputError when anything was wrong

 private:
  void check_head(const hardware::Gpu& asked);
  std::optional<FlopRate> peak_of(ObjectReader& head, const hardware::Gpu& asked);

  std::string name_;
  std::string card_;
  bool own_;
  JsonDocument document_;
  ObjectReader root_;
};

/// A fraction of a nominal figure; above 1.02 it would beat the hardware and is a problem.
double fraction(ObjectReader& reader, std::string_view key);
/// A number that must be above zero.
double positive(ObjectReader& reader, std::string_view key);
/// A number that must not be below zero.
double not_negative(ObjectReader& reader, std::string_view key);
Seconds duration(ObjectReader& reader, std::string_view key);

/// The "fit" object of a part: points, held-out errors, standard errors.
std::optional<perf::FitQuality> read_quality(ObjectReader& part);

}  // namespace gpucap::catalog
