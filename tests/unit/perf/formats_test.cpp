#include "gpucap/catalog/fits.hpp"
#include "gpucap/catalog/gpus.hpp"
#include "gpucap/catalog/models.hpp"
#include "gpucap/perf/kernel.hpp"
#include "gpucap/perf/layer_work.hpp"

#include <filesystem>
#include <string>

#include "support/catch.hpp"
#include "support/toy.hpp"

using namespace gpucap;
using models::ProductKernels;

namespace {

const std::filesystem::path root = GPUCAP_SOURCE_DIR;

const hardware::Gpu& card(const std::string& id) {
  static const catalog::GpuBook book = catalog::load_gpus(root);
  return *book.find(id);
}

struct Fitted {
  const hardware::Gpu& gpu;
  perf::Calibration fits;
  explicit Fitted(const std::string& id)
      : gpu(card(id)), fits(catalog::load_calibration(root, gpu)) {}

  [[nodiscard]] perf::Card ceilings(Dtype dtype) const {
    return {gpu.peak(dtype), gpu.memory_bandwidth, gpu.sm_count};
  }
  [[nodiscard]] Seconds plain(std::int64_t m, std::int64_t n, std::int64_t k) const {
    return perf::gemm(fits.gemm, ceilings(Dtype::bf16), {m, n, k}).time();
  }
  [[nodiscard]] Seconds stored(ProductKernels kernels, Dtype compute, double bytes, std::int64_t m,
                               std::int64_t n, std::int64_t k) const {
    const auto& fit = fits.formats.at(kernels);
    const perf::GemmShape shape{m, n, k, bytes, 2};
    return (models::widens_weights(kernels)
                ? perf::widened_gemm(fit, fits.gemm, ceilings(compute), shape)
                : perf::quantised_gemm(fit, ceilings(compute), shape))
        .time();
  }
};

}  // namespace

TEST_CASE("weights widened inside the product never make a large batch faster than 16 bits") {
  for (const std::string& id : catalog::calibrated_cards(root)) {
    const Fitted on(id);
    for (const auto& [kernels, fit] : on.fits.formats) {
      if (!models::widens_weights(kernels)) continue;
      INFO(id << " " << models::name(kernels));
      for (const std::int64_t m : {2048, 8192, 32768}) {
        // The arithmetic is the same; only the memory term under the norm is smaller: 3 %.
        CHECK(on.stored(kernels, Dtype::bf16, 0.5, m, 14336, 4096) >=
              on.plain(m, 14336, 4096) * 0.97);
      }
    }
  }
}

TEST_CASE(
    "at one token 4-bit weights are faster than 16-bit ones, by less than the four of bytes") {
  for (const char* id : {"a100-sxm-80gb", "l40s", "h200-sxm", "rtx-4090"}) {
    const Fitted on(id);
    INFO(id);
    const double gain = on.plain(1, 14336, 8192) / on.stored(ProductKernels::int4_weight_only,
                                                             Dtype::bf16, 0.5, 1, 14336, 8192);
    CHECK(gain > 1.5);
    CHECK(gain < 4);
  }
}

TEST_CASE("fp8 arithmetic speeds up large batches, by less than the two of its peak") {
  for (const char* id : {"h100-sxm-80gb", "h200-sxm", "l40s", "rtx-4090"}) {
    const Fitted on(id);
    INFO(id);
    const double gain = on.plain(8192, 8192, 8192) /
                        on.stored(ProductKernels::fp8, Dtype::fp8, 1, 8192, 8192, 8192);
    CHECK(gain > 1.2);
    CHECK(gain < 2);
  }
}

TEST_CASE("narrowing the activations costs their bytes at the nominal bandwidth, by hand") {
  perf::FormatFit fit;
  fit.product = {1, 1, 64, Seconds{}};
  const perf::Card ideal{1e18 * unit::flop / unit::s, 1 * unit::GB_per_s, 1};
  const perf::GemmShape shape{10, 20, 30, 1, 2};
  const Seconds without = perf::quantised_gemm(fit, ideal, shape).time();
  fit.quantise_bytes = 5;
  // 5 B x 10 x 30 at 1 GB/s: 1.5 us.
  CHECK((perf::quantised_gemm(fit, ideal, shape).time() - without).in(unit::us) == Approx(1.5));
}

TEST_CASE("a card borrows a format as a fraction of its own 16-bit products") {
  const Fitted l40s("l40s"), own("rtx-4090"), h200("h200-sxm");
  const auto& lender = l40s.fits.formats.at(ProductKernels::fp8);
  const auto& lent = own.fits.formats.at(ProductKernels::fp8);
  CHECK(lent.origin.card == "l40s");
  CHECK_FALSE(lent.origin.measured);
  CHECK(lent.interval > 0.3);
  // What long 16-bit products reach: their own share of the peak, or what the power cap leaves.
  const auto reached = [](const perf::Calibration& fits) {
    return std::min(fits.gemm.ec, fits.sustained.share);
  };
  const double carried = lender.product.ec * reached(own.fits) / reached(l40s.fits);
  CHECK(lent.product.ec == Approx(std::min(1.0, carried)).margin(1e-9));
  CHECK(h200.fits.formats.at(ProductKernels::fp8).origin.measured);
  // int8 arithmetic on the L40S reaches a larger share than 16-bit: another limit, so it stays.
  CHECK(own.fits.formats.at(ProductKernels::int8_w8a8).product.ec ==
        l40s.fits.formats.at(ProductKernels::int8_w8a8).product.ec);
}

TEST_CASE("an A100 has no fp8 arithmetic, so fp8 weights are widened and the plan says so") {
  plan::ServingQuestion question;
  question.model = catalog::load_models(root).find("llama-3.1-8b");
  question.node.gpu = card("a100-sxm-80gb");
  question.node.host.max_gpus = 8;
  question.calibration = catalog::load_calibration(root, question.node.gpu);
  question.engine.weights = *models::weight_format(question.model, "fp8");
  question.engine.profile.card_defaults = {{}};
  const auto plan = plan::plan_serving(question);
  CHECK(plan.question.engine.weights.kernels == ProductKernels::fp8_weight_only);
  CHECK(plan.question.engine.weights.compute == Dtype::bf16);
  REQUIRE_FALSE(plan.notes.empty());
  CHECK(plan.notes.front() ==
        "a100-sxm-80gb has no fp8 arithmetic: fp8 weights are widened to bf16");
}

TEST_CASE("only what the format shrinks is priced as shrunk: router and head stay in 16 bits") {
  auto plan = toy::serving_plan();
  auto& model = plan.question.model;
  model.experts = models::Experts{8, 2, 0, 128, 0, 0, 0, false, false};
  auto bytes_of = [&](const char* format) {
    auto inputs = plan.step_cost_inputs();
    inputs.weights = *models::weight_format(model, format);
    const perf::LayerWork work(inputs);
    return std::pair{work.tokens(1).bytes.base(), work.sampled(1).bytes.base()};
  };
  const auto [plain, plain_head] = bytes_of("bf16");
  const auto [four, four_head] = bytes_of("int4-awq");
  const auto [experts, experts_head] = bytes_of("mxfp4");
  CHECK(four_head == plain_head);
  CHECK(experts_head == plain_head);
  // Per layer qkv 64 x 128 and o 64 x 64, and 2 of 8 experts of 3 x 64 x 128.
  const double attention = 2.0 * 64 * (128 + 64), moe = 2.0 * 2 * 3 * 64 * 128;
  const double awq = 0.5 + 2.5 / 128, mx = 0.5 + 1.0 / 32;
  CHECK(plain - four == Approx((attention + moe) * (2 - awq)));
  CHECK(plain - experts == Approx(moe * (2 - mx)));
}

TEST_CASE("an 8-bit KV cache halves what decodes read and speeds up nothing else") {
  auto plan = toy::serving_plan();
  auto inputs = plan.step_cost_inputs();
  const perf::LayerWork whole(inputs);
  inputs.kv_dtype = Dtype::fp8;
  const perf::LayerWork half(inputs);
  CHECK(half.decode_attention(4, false).bytes_per_token * 2 ==
        whole.decode_attention(4, false).bytes_per_token);
  CHECK(half.decode_attention(4, false).flops_per_token ==
        whole.decode_attention(4, false).flops_per_token);
  CHECK(half.tokens(8).time() == whole.tokens(8).time());
}
