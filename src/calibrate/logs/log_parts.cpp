#include "gpucap/calibrate/log_parts.hpp"

#include "gpucap/perf/coefficient.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace gpucap::calibrate {
namespace {

using models::ProductKernels;
using perf::FitOrigin;

/// Errors of kernels over shapes are those of the fit that was scaled: logs do not show them.
void carry_quality(FittedPart& part, const FitOrigin& origin) {
  if (!origin.quality) return;
  const perf::FitQuality& quality = *origin.quality;
  part.points = quality.points;
  part.held_out = {"",           quality.held_out_points, quality.median_error, quality.p95_error,
                   quality.bias, quality.spread};
  std::vector<std::string> fitted;
  for (const FittedCoefficient& one : part.coefficients) {
    if (quality.standard_errors.contains(one.symbol)) fitted.push_back(one.symbol);
  }
  if (fitted != quality.parameters) return;
  for (FittedCoefficient& one : part.coefficients) {
    const auto found = quality.standard_errors.find(one.symbol);
    if (found == quality.standard_errors.end()) continue;
    one.fitted = true;
    one.standard_error = found->second;
  }
  part.correlation = quality.correlation;
}

const LogResult* result_of(const LogFit& fit, LogNumber number) {
  const auto found =
      std::find_if(fit.results.begin(), fit.results.end(),
                   [&](const LogResult& one) { return one.number == number && one.identified; });
  return found == fit.results.end() ? nullptr : &*found;
}

/// "RTX tables; eb times 0.962 by 5 runs of ..."
std::string source_of(const LogFit& fit, const FitOrigin& origin, bool peak, bool bandwidth,
                      const std::string& runs) {
  std::string scaled;
  for (const auto& [number, counts] :
       {std::pair{LogNumber::ec, peak}, std::pair{LogNumber::eb, bandwidth}}) {
    const LogResult* result = result_of(fit, number);
    if (!counts || result == nullptr) continue;
    scaled += fmt::format("{}{} times {:.4g}", scaled.empty() ? "" : " and ", result->key,
                          result->after / result->before);
  }
  return fmt::format("{}; {} by {}", origin.source, scaled, runs);
}

template <class Fit>
FittedPart part_from(const std::string& name, const std::vector<perf::Bound<Fit>>& bounds,
                     const Fit& fit, const FitOrigin& origin, std::string source) {
  FittedPart part;
  part.part = name;
  for (const auto& bound : bounds) {
    part.coefficients.push_back(
        {bound.key, bound.symbol, bound.unit, bound.get(fit), false, 0, false, "fitted"});
  }
  carry_quality(part, origin);
  part.source = std::move(source);
  return part;
}

FittedPart gguf_part(const perf::FormatFit& format, std::string source) {
  FittedPart part;
  part.part = "gguf";
  const auto add = [&](const char* key, const char* unit, double value) {
    part.coefficients.push_back({key, key, unit, value, false, 0, false, "fitted"});
  };
  add("ec", "", format.product.ec);
  add("eb", "", format.product.eb);
  add("t0", "us", format.product.t0.in(unit::us));
  add("p", "", format.product.p);
  carry_quality(part, format.origin);
  part.source = std::move(source);
  return part;
}

std::vector<FittedPart> parts_of(const LogFit& fit, const std::string& runs) {
  const bool peak = result_of(fit, LogNumber::ec) != nullptr;
  const bool bandwidth = result_of(fit, LogNumber::eb) != nullptr;
  std::vector<FittedPart> parts;
  if (!peak && !bandwidth) return parts;
  const perf::Calibration& fits = fit.calibration;
  const auto source = [&](const FitOrigin& origin) {
    return source_of(fit, origin, peak, bandwidth, runs);
  };
  if (fit.kernels == ProductKernels::gguf) {
    const perf::FormatFit& gguf = fits.formats.at(ProductKernels::gguf);
    parts.push_back(gguf_part(gguf, source(gguf.origin)));
    return parts;
  }
  parts.push_back(part_from("gemm", perf::gemm_coefficients(), fits.gemm, fits.gemm_origin,
                            source(fits.gemm_origin)));
  parts.push_back(part_from("prefill", perf::prefill_coefficients(), fits.prefill,
                            fits.prefill_origin, source(fits.prefill_origin)));
  if (bandwidth) {
    parts.push_back(part_from("decode", perf::decode_coefficients(), fits.decode,
                              fits.decode_origin,
                              source_of(fit, fits.decode_origin, false, true, runs)));
  }
  // Lent mixed launches follow from the card's own prefill when the file is read.
  if (fits.mixed && fits.mixed_origin.reason.empty()) {
    parts.push_back(part_from("mixed", perf::mixed_coefficients(), *fits.mixed, fits.mixed_origin,
                              source(fits.mixed_origin)));
  }
  return parts;
}

}  // namespace

CalibrationFile calibration_of(const LogFit& fit, const hardware::Gpu& gpu,
                               const std::string& method, const std::string& runs,
                               const std::string& date) {
  CalibrationFile file;
  file.fitted.gpu = gpu;
  file.fitted.parts = parts_of(fit, runs);
  file.measured_on = {gpu.name, date, method};
  CalibrationFile::Engine engine{fit.profile.id, fit.profile.host, runs, {}};
  std::string kept;
  for (const LogResult& result : fit.results) {
    if (!result.identified) {
      kept += (kept.empty() ? "" : ", ") + result.key;
    } else if (result.number != LogNumber::ec && result.number != LogNumber::eb) {
      engine.identified.push_back(result.key);
    }
  }
  if (!engine.identified.empty()) file.engine = std::move(engine);
  if (!file.fitted.parts.empty()) {
    file.fitted.notes =
        fmt::format("Shares scaled by what {} does; kernels of another engine may do otherwise. ",
                    fit.profile.id);
  }
  if (!kept.empty()) file.fitted.notes += "Not identified by these logs, as before: " + kept + ".";
  return file;
}

}  // namespace gpucap::calibrate
