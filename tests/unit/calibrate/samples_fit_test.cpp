// A processor made up by its forms is found again from its samples.
#include "gpucap/calibrate/samples_fit.hpp"

#include "gpucap/catalog/fits.hpp"
#include "gpucap/catalog/own_calibration.hpp"
#include "gpucap/measure/plan.hpp"
#include "gpucap/perf/kernel.hpp"

#include "support/catch.hpp"

using namespace gpucap;
using namespace gpucap::measure;

namespace {

/// 100 GFLOP/s, 10 GB/s, and kernels that take exactly what their forms say.
struct World {
  perf::Card card{0.1 * unit::TFLOP_per_s, 10 * unit::GB_per_s, 2, 1};
  perf::GemmFit gemm{0.8, 0.5, 0.3, 0.1, 5 * unit::us, {}};

  /// A rate that only the largest product and stream reach, so that they are the nominal figures.
  Seconds operator()(const Product& work) const {
    return perf::gemm(gemm, card, {work.m, work.n, work.k, 4}).time();
  }
  Seconds operator()(const Stream& work) const {
    return (work.kind == Stream::Kind::triad ? 3 : 2) * work.bytes / card.bandwidth;
  }
  Seconds operator()(const Pass& work) const {
    const double numbers = static_cast<double>(work.tokens * work.width);
    return perf::elementwise(2 * unit::us, card, 4 * numbers * 2 * unit::byte).time();
  }
  template <class Other>
  Seconds operator()(const Other&) const {
    return 1 * unit::ms;
  }
};

Samples samples_of(const World& world) {
  Samples samples;
  samples.device.kind = "cpu";
  samples.device.name = "made up";
  samples.device.processors = 2;
  samples.device.memory = 16 * unit::GiB;
  samples.device.cache = 1 * unit::MiB;
  samples.date = "2026-12-01";
  for (const Planned& planned : calibration_plan(samples.device)) {
    Sample sample;
    sample.work = planned.work;
    sample.implementation = "eigen";
    sample.time = sample.fastest = sample.slowest = std::visit(world, planned.work);
    samples.samples.push_back(sample);
  }
  return samples;
}

}  // namespace

TEST_CASE("products of a made-up processor are predicted within two per cent of the truth") {
  const World world;
  const Samples samples = samples_of(world);
  const hardware::Gpu card = calibrate::cpu_card(samples);
  CHECK(card.memory_bandwidth.in(unit::GB_per_s) == Approx(10));
  const auto fitted =
      calibrate::fit_samples(samples, "s.json", card, {"gemm", "elementwise"}, 1, nullptr);
  const auto own = catalog::read_own_calibration(
      catalog::JsonDocument(
          "fit.json", calibrate::calibration_json(calibrate::calibration_of(fitted, samples))),
      [&](const std::string&) { return &card; });
  REQUIRE(own.gemm);
  CHECK_FALSE(own.gemm->fit.tiles);
  const perf::Card as_fitted{card.product_peak(), card.memory_bandwidth, 2, 1};
  for (const std::int64_t m : {2, 24, 300}) {
    const perf::GemmShape shape{m, 1000, 700, 4};
    const Seconds predicted = perf::gemm(own.gemm->fit, as_fitted, shape).time();
    CHECK(predicted / perf::gemm(world.gemm, world.card, shape).time() == Approx(1).margin(0.02));
  }
  for (const auto& kernel : own.elementwise->fit.kernels) {
    CHECK(kernel.passes == Approx(4).epsilon(0.02));
  }
}

TEST_CASE("samples without a product or a stream make no processor") {
  Samples none;
  CHECK_THROWS_AS(calibrate::cpu_card(none), InputError);
}

TEST_CASE("samples of a card that does what its shipped fit says give that fit again") {
  const auto gpus = catalog::load_gpus(GPUCAP_SOURCE_DIR);
  const hardware::Gpu& gpu = *gpus.find("rtx-4090");
  const auto shipped = catalog::load_calibration(GPUCAP_SOURCE_DIR, gpu);
  const perf::Card card{gpu.product_peak(), gpu.memory_bandwidth, gpu.sm_count,
                        shipped.sustained.share};
  Samples samples;
  samples.device.kind = "cuda";
  samples.device.memory = gpu.memory_visible;
  samples.date = "2026-12-01";
  for (const Planned& planned : calibration_plan(samples.device)) {
    const auto* work = std::get_if<Product>(&planned.work);
    if (work == nullptr || work->dtype != Dtype::bf16) continue;
    Sample sample;
    sample.work = planned.work;
    sample.implementation = "cublaslt";
    sample.time = perf::gemm(shipped.gemm, card, {work->m, work->n, work->k}).time();
    sample.fastest = sample.slowest = sample.time;
    samples.samples.push_back(sample);
  }
  const auto fitted = calibrate::fit_samples(
      samples, "s.json", gpu, calibrate::usual_parts(samples), shipped.sustained.share, &shipped);
  REQUIRE(fitted.parts.size() == 1);
  const auto own = catalog::read_own_calibration(
      catalog::JsonDocument(
          "fit.json", calibrate::calibration_json(calibrate::calibration_of(fitted, samples))),
      [&](const std::string&) { return &gpu; });
  for (const std::int64_t m : {3, 100, 3000}) {
    const perf::GemmShape shape{m, 10240, 5120};
    const Seconds predicted = perf::gemm(own.gemm->fit, card, shape).time();
    CHECK(predicted / perf::gemm(shipped.gemm, card, shape).time() == Approx(1).margin(0.03));
  }
}

TEST_CASE("attention of a CUDA card is fitted on request only") {
  Samples samples;
  samples.device.kind = "cuda";
  CHECK(calibrate::usual_parts(samples) == std::set<std::string>{"elementwise", "gemm"});
}
