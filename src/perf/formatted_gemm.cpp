#include "gpucap/perf/formatted_gemm.hpp"

#include "kernel_parts.hpp"

namespace gpucap::perf {

const FormatFit* format_fit(const Calibration& calibration, models::ProductKernels kernels) {
  const auto found = calibration.formats.find(kernels);
  return found == calibration.formats.end() ? nullptr : &found->second;
}

Work formatted_gemm(const Calibration& calibration, const Card& card,
                    const models::WeightFormat& format, std::int64_t m, std::int64_t n,
                    std::int64_t k) {
  return FormattedGemmCost(calibration, card, format, n, k)(m);
}

FormattedGemmCost::FormattedGemmCost(const Calibration& calibration, const Card& card,
                                     const models::WeightFormat& format, std::int64_t n,
                                     std::int64_t k)
    : plain_(calibration.gemm, card, {1, n, k, models::bytes_per_weight(format)}),
      plain_factor_(calibration.gemm_origin.factor),
      fit_(format_fit(calibration, format.kernels)),
      widens_(models::widens_weights(format.kernels)),
      card_(card),
      shape_{1, n, k, models::bytes_per_weight(format)} {}

Work FormattedGemmCost::operator()(std::int64_t m) const {
  if (fit_ == nullptr) return plain_(m).slowed(plain_factor_);
  GemmShape shape = shape_;
  shape.m = m;
  const Work own = quantised_gemm(*fit_, card_, shape);
  if (!widens_) return own.slowed(fit_->origin.factor);
  return slower(own, plain_(m)).slowed(fit_->origin.factor);
}

}  // namespace gpucap::perf
