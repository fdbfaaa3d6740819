#include "products.hpp"

#include "gpucap/perf/formatted_gemm.hpp"

#include <algorithm>
#include <cmath>

namespace gpucap::training {
namespace {

Dtype wide(Dtype arithmetic) {
  return arithmetic == Dtype::fp8 ? Dtype::bf16 : arithmetic;
}

}  // namespace

double activation_bytes(const Settings& settings) {
  return bits(wide(settings.arithmetic)) / 8.0;
}

perf::Card card_for(const Question& question, Dtype dtype) {
  const hardware::Gpu& gpu = question.node.gpu;
  return {gpu.peak(dtype), gpu.memory_bandwidth, gpu.sm_count,
          question.calibration.sustained.share};
}

Products::Products(const Question& question, const models::Transformer& model)
    : question_(&question),
      fp8_(models::weight_format(model, "fp8").value_or(models::WeightFormat{})),
      card_(card_for(question, question.settings.arithmetic)),
      wide_card_(card_for(question, wide(question.settings.arithmetic))),
      width_(activation_bytes(question.settings)) {}

perf::Work Products::operator()(std::int64_t m, std::int64_t n, std::int64_t k,
                                Precision precision) const {
  const perf::Calibration& fits = question_->calibration;
  const double slower = question_->software.time.products;
  if (question_->settings.arithmetic == Dtype::fp8 && precision == Precision::as_set) {
    return perf::formatted_gemm(fits, card_, fp8_, m, n, k).slowed(slower);
  }
  return perf::gemm(fits.gemm, wide_card_, {m, n, k, width_, width_})
      .slowed(slower * fits.gemm_origin.factor);
}

perf::Work Products::arithmetic(std::int64_t m, std::int64_t n, std::int64_t k) const {
  const perf::Calibration& fits = question_->calibration;
  return perf::gemm(fits.gemm, wide_card_, {m, n, k, 0, 0})
      .slowed(question_->software.time.products * fits.gemm_origin.factor);
}

perf::Work Products::experts(const perf::ExpertShape& shape) const {
  const perf::Calibration& fits = question_->calibration;
  const double slower = question_->software.time.products;
  if (fits.experts) {
    return perf::routed_experts(*fits.experts, wide_card_, shape)
        .slowed(slower * fits.experts->origin.factor);
  }
  // Without a fit of the fused layer: one product over all touched experts.
  const double rows = shape.share * static_cast<double>(shape.tokens * shape.per_token);
  const perf::GemmShape all{std::max<std::int64_t>(1, std::llround(rows)), 3 * shape.ffn,
                            shape.hidden, width_ * perf::experts_touched(shape), width_};
  return perf::gemm(fits.gemm, wide_card_, all).slowed(slower * fits.gemm_origin.factor);
}

}  // namespace gpucap::training
