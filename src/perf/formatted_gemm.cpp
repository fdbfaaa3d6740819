#include "gpucap/perf/formatted_gemm.hpp"

namespace gpucap::perf {

const FormatFit* format_fit(const Calibration& calibration, models::ProductKernels kernels) {
  const auto found = calibration.formats.find(kernels);
  return found == calibration.formats.end() ? nullptr : &found->second;
}

Work formatted_gemm(const Calibration& calibration, const Card& card,
                    const models::WeightFormat& format, std::int64_t m, std::int64_t n,
                    std::int64_t k) {
  GemmShape shape{m, n, k};
  shape.weight_bytes = models::bytes_per_weight(format);
  const FormatFit* fit = format_fit(calibration, format.kernels);
  if (fit == nullptr) {
    return gemm(calibration.gemm, card, shape).slowed(calibration.gemm_origin.factor);
  }
  const Work work = models::widens_weights(format.kernels)
                        ? widened_gemm(*fit, calibration.gemm, card, shape)
                        : quantised_gemm(*fit, card, shape);
  return work.slowed(fit->origin.factor);
}

}  // namespace gpucap::perf
