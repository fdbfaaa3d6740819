#pragma once

#include "gpucap/catalog/fit_part.hpp"
#include "gpucap/catalog/json_document.hpp"
#include "gpucap/hardware/gpu.hpp"
#include "gpucap/perf/engine_profile.hpp"
#include "gpucap/pricing/date.hpp"

#include <functional>
#include <optional>
#include <string>

namespace gpucap::catalog {

/// What somebody fitted on one card and keeps in a file of their own, as `gpucap fit` writes it
/// (docs/calibrating.md). Parts that it lacks stay what the shipped data says.
struct OwnCalibration {
  std::string file;
  std::string sha256;
  std::string card;  ///< GPU id

  /// What was measured, when and how; absent where the file does not say.
  struct MeasuredOn {
    std::string name;    ///< as the driver writes it
    std::string driver;  ///< version
    std::string method;  ///< "gpucap calibrate", "vllm-bench logs"
    std::optional<pricing::Date> date;
  } measured_on;

  std::optional<FitPart<perf::GemmFit>> gemm;
  std::optional<FitPart<perf::PrefillAttentionFit>> prefill;
  std::optional<FitPart<perf::DecodeAttentionFit>> decode;
  std::optional<FitPart<perf::MixedAttentionFit>> mixed;
  std::optional<FitPart<perf::ElementwiseFit>> elementwise;
  std::optional<FitPart<perf::SamplerFit>> sampler;
  std::optional<perf::FormatFit> gguf;  ///< products with GGUF weights
  std::optional<perf::Calibration::Power> power;

  /// Host time of one engine beside this card.
  struct Engine {
    std::string id;
    perf::EngineProfile::Host host;
    std::string source;
  };
  std::optional<Engine> engine;
};

/// `find` gives the card of a name, or null. Throws InputError with all problems: an unknown card,
/// fractions of figures that are not those of its spec sheet, values outside physical limits.
OwnCalibration read_own_calibration(
    JsonDocument document, const std::function<const hardware::Gpu*(const std::string&)>& find);

/// Puts the parts that the file has in the place of those of the same card's calibration.
void replace_parts(perf::Calibration& calibration, const OwnCalibration& own);
/// The same for products in formats, which are derived from parts first.
void replace_formats(perf::Calibration& calibration, const OwnCalibration& own);

}  // namespace gpucap::catalog
