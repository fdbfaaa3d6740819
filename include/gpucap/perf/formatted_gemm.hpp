#pragma once

#include "gpucap/models/transformer.hpp"
#include "gpucap/perf/calibration.hpp"
#include "gpucap/perf/gemm_cost.hpp"
#include "gpucap/perf/kernel.hpp"

#include <cstdint>

namespace gpucap::perf {

/// The fit of these kernels, or null: then 16-bit products with the format's peak and bytes stand
/// in. A pointer into the calibration.
const FormatFit* format_fit(const Calibration& calibration, models::ProductKernels kernels);

/// A product [m, k] x [k, n] with weights stored in `format`; `card` has the peak of
/// format.compute. Factors of a draw are applied.
Work formatted_gemm(const Calibration& calibration, const Card& card,
                    const models::WeightFormat& format, std::int64_t m, std::int64_t n,
                    std::int64_t k);

/// The same with all but the number of rows settled. The calibration must outlive it.
class FormattedGemmCost {
 public:
  FormattedGemmCost(const Calibration& calibration, const Card& card,
                    const models::WeightFormat& format, std::int64_t n, std::int64_t k);

  [[nodiscard]] Work operator()(std::int64_t m) const;

 private:
  GemmCost plain_;  ///< at the format's bytes
  double plain_factor_;
  const FormatFit* fit_;
  bool widens_;
  Card card_;
  GemmShape shape_;
};

}  // namespace gpucap::perf
