// A user's own calibration stands in the place of the shipped parts of its card, and only there.
#include "gpucap/catalog/own_calibration.hpp"

#include "gpucap/catalog/fits.hpp"
#include "gpucap/catalog/gpus.hpp"

#include "support/catch.hpp"
#include <fmt/format.h>

using namespace gpucap;

namespace {

const catalog::GpuBook& book() {
  static const catalog::GpuBook gpus = catalog::load_gpus(GPUCAP_SOURCE_DIR);
  return gpus;
}

std::string file_with(const std::string& parts) {
  return fmt::format(
      R"({{"format": "gpucap-calibration/1", "card": "rtx-4090",
          "fitted_with": {{"peak": "165.2 TFLOP/s", "bandwidth": "1008 GB/s"}},
          "measured_on": {{"name": "NVIDIA GeForce RTX 4090", "driver": "580.1",
                           "date": "2026-11-30", "method": "gpucap calibrate"}}{}}})",
      parts.empty() ? "" : ", " + parts);
}

const std::string gemm =
    R"("gemm": {"ec": 0.7, "eb": 0.6, "t0": "9 us", "exposed_arithmetic": 0.1,
        "exposed_traffic": 0.2, "edge_loss": 3, "fill_k": 4, "source": "test"})";
const std::string engine =
    R"("engine": {"id": "vllm-0.19", "gap": "900 us", "gap_per_sequence": "3 us",
        "floor_per_layer": "1 us", "per_sequence": "2 us", "front_end": "7 ms", "source": "logs"})";

catalog::OwnCalibration read(const std::string& text) {
  return catalog::read_own_calibration(catalog::JsonDocument("my.json", text),
                                       [](const std::string& id) { return book().find(id); });
}

std::string fault_of(const std::string& text) {
  try {
    read(text);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("own products replace the shipped ones and leave all else") {
  catalog::FitBook fits(GPUCAP_SOURCE_DIR);
  const hardware::Gpu& card = *book().find("rtx-4090");
  const perf::Calibration before = fits.of(card);
  fits.add(read(file_with(gemm)));
  const perf::Calibration& after = fits.of(card);
  CHECK(after.gemm.ec == 0.7);
  CHECK(after.gemm.t0.in(unit::us) == Approx(9));
  CHECK(after.gemm_origin.file == "my.json");
  CHECK(after.gemm_origin.measured);
  CHECK(after.prefill.ec == before.prefill.ec);
  CHECK(after.elementwise_origin.file == before.elementwise_origin.file);
}

TEST_CASE("a card that borrows from the calibrated one keeps the shipped numbers") {
  catalog::FitBook fits(GPUCAP_SOURCE_DIR), own(GPUCAP_SOURCE_DIR);
  own.add(read(file_with(gemm)));
  const hardware::Gpu& other = *book().find("rtx-4000-ada");
  CHECK(own.of(other).gemm.ec == fits.of(other).gemm.ec);
}

TEST_CASE("of two files of one card the last one counts, part by part") {
  catalog::FitBook fits(GPUCAP_SOURCE_DIR);
  fits.add(read(file_with(gemm)));
  std::string second = gemm;
  second.replace(second.find("0.7"), 3, "0.8");
  fits.add(read(file_with(second)));
  CHECK(fits.of(*book().find("rtx-4090")).gemm.ec == 0.8);
}

TEST_CASE("a file says what was measured, when, and the host time of an engine") {
  const auto own = read(file_with(engine));
  CHECK(own.measured_on.driver == "580.1");
  CHECK(own.measured_on.date->text() == "2026-11-30");
  REQUIRE(own.engine);
  CHECK(own.engine->id == "vllm-0.19");
  CHECK(own.engine->host.gap.in(unit::us) == Approx(900));
  CHECK(own.engine->host.front_end.in(unit::ms) == Approx(7));
  CHECK_FALSE(own.gemm);
}

TEST_CASE("faults of a calibration are located and name what is meant") {
  const auto has = [](const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
  };
  std::string other = file_with(gemm);
  other.replace(other.find("rtx-4090"), 8, "rtx-4900");
  INFO(fault_of(other));
  CHECK(has(fault_of(other), "my.json:1:44: /card: unknown GPU \"rtx-4900\""));
  std::string faster = file_with(gemm);
  faster.replace(faster.find("1008"), 4, "2016");
  CHECK(has(fault_of(faster), "/fitted_with/bandwidth"));
  std::string beyond = file_with(gemm);
  beyond.replace(beyond.find("0.7"), 3, "1.7");
  CHECK(has(fault_of(beyond), "/gemm/ec: must be at most 1.02"));
  std::string misspelt = file_with(gemm);
  misspelt.replace(misspelt.find("\"gemm\""), 6, "\"gem\"");
  INFO(fault_of(misspelt));
  CHECK(has(fault_of(misspelt), "did you mean \"gemm\""));
  std::string undated = file_with(gemm);
  undated.replace(undated.find("2026-11-30"), 10, "30.11.2026");
  CHECK(has(fault_of(undated), "is no date such as 2026-08-22"));
  CHECK(has(fault_of("{}"), "\"card\""));
}
