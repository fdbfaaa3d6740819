#include "gpucap/catalog/fits.hpp"

#include "gpucap/catalog/gpus.hpp"
#include "gpucap/core/error.hpp"
#include "gpucap/core/file.hpp"
#include "gpucap/perf/kernel.hpp"

#include <algorithm>
#include <filesystem>
#include <functional>
#include <unistd.h>

#include "support/catch.hpp"

using namespace gpucap;
namespace fs = std::filesystem;

namespace {

const fs::path shipped = GPUCAP_SOURCE_DIR;

const hardware::Gpu& card(const std::string& id) {
  static const catalog::GpuBook book = catalog::load_gpus(shipped);
  const hardware::Gpu* found = book.find(id);
  REQUIRE(found != nullptr);
  return *found;
}

perf::Calibration calibration_of(const std::string& id) {
  return catalog::load_calibration(shipped, card(id));
}

/// A data folder whose fits are the shipped ones but for one text that is replaced.
struct EditedFits {
  fs::path root;
  EditedFits(const std::string& name, const std::string& file, const std::string& from,
             const std::string& to)
      : root(fs::temp_directory_path() / ("gpucap-fits-" + name + "-" + std::to_string(getpid()))) {
    fs::remove_all(root);
    fs::create_directories(root / "calibration");
    fs::copy(shipped / "calibration/fits", root / "calibration/fits");
    const fs::path path = root / "calibration/fits" / file;
    std::string text = read_file(path);
    const auto at = text.find(from);
    REQUIRE(at != std::string::npos);
    write_file(path, text.replace(at, from.size(), to));
  }
  ~EditedFits() { fs::remove_all(root); }

  [[nodiscard]] std::vector<Problem> problems(const hardware::Gpu& gpu) const {
    try {
      catalog::load_calibration(root, gpu);
    } catch (const InputError& error) {
      return error.problems();
    }
    return {};
  }
};

}  // namespace

TEST_CASE("every card with a spec sheet has a calibration and no other has one") {
  const catalog::GpuBook book = catalog::load_gpus(shipped);
  std::vector<std::string> ids;
  for (const hardware::Gpu& gpu : book.all()) {
    INFO(gpu.id);
    ids.push_back(gpu.id);
    const perf::Calibration fits = catalog::load_calibration(shipped, gpu);
    CHECK(fits.gemm.ec > 0.3);
    CHECK(fits.gemm.eb > 0.7);
    CHECK(fits.prefill.ec > 0.3);
    CHECK(fits.decode.eb > 0.7);
    CHECK(fits.elementwise.kernels.size() == 3);
    CHECK(fits.sampler.base > Seconds{});
    CHECK_FALSE(fits.gemm_origin.source.empty());
  }
  CHECK(ids.size() == 23);
  std::sort(ids.begin(), ids.end());
  CHECK(ids == catalog::calibrated_cards(shipped));
}

TEST_CASE("no fitted fraction beats the hardware by more than 2 %") {
  for (const std::string& id : catalog::calibrated_cards(shipped)) {
    INFO(id);
    const perf::Calibration fits = calibration_of(id);
    CHECK(std::max({fits.gemm.ec, fits.gemm.eb, fits.prefill.ec, fits.prefill.eb,
                    fits.decode.eb}) <= 1.02);
  }
}

TEST_CASE("an RTX 4090 is measured itself and says so") {
  const perf::Calibration fits = calibration_of("rtx-4090");
  CHECK(fits.gemm_origin.measured);
  CHECK(fits.gemm_origin.card == "rtx-4090");
  CHECK(fits.gemm_origin.reason.empty());
  REQUIRE(fits.gemm_origin.quality);
  CHECK(fits.gemm_origin.quality->median_error < 0.03);
  CHECK(fits.gemm_origin.quality->standard_errors.count("ec") == 1);
  CHECK(fits.gemm.t0.in(unit::us) == Approx(4.718));
  CHECK(fits.gemm_origin.transfer_spread == 0);
  CHECK(fits.mixed_origin.measured);
}

TEST_CASE("an RTX 4000 Ada takes the products of an L40S and says so") {
  const perf::Calibration fits = calibration_of("rtx-4000-ada");
  const perf::Calibration source = calibration_of("l40s");
  CHECK_FALSE(fits.gemm_origin.measured);
  CHECK(fits.gemm_origin.card == "l40s");
  CHECK(fits.gemm_origin.file == "calibration/fits/l40s-gemm.json");
  CHECK(fits.gemm_origin.reason.find("130 W") != std::string::npos);
  CHECK(fits.gemm.ec == source.gemm.ec);
  CHECK(fits.prefill_origin.card == "l40s");
  CHECK(fits.gemm_origin.transfer_spread > 0.1);
  CHECK(fits.sustained.share > source.sustained.share);  // 130 W for 48 SMs, 350 W for 142
  CHECK(source.gemm_origin.measured);
}

TEST_CASE("half the power limit leaves an H100 PCIe less of a smaller peak than the SXM card has") {
  // 0.57 pJ at 1 GHz. PCIe: sqrt(303 / (0.57 x 756.5 x 1.62)) = 0.659; SXM, floor 0.16 x 700 W:
  // sqrt(588 / (0.57 x 989.4 x 1.83)) = 0.755.
  const perf::Calibration pcie = calibration_of("h100-pcie-80gb");
  const perf::Calibration sxm = calibration_of("h100-sxm-80gb");
  CHECK(pcie.gemm.ec == sxm.gemm.ec);
  CHECK(sxm.sustained.share == Approx(0.755).epsilon(0.002));
  CHECK(pcie.sustained.share < sxm.sustained.share);
}

TEST_CASE("a card's own sustained rate stands before that of its generation, with its source") {
  const perf::Calibration fits = calibration_of("a10");
  CHECK(fits.sustained.share == Approx(0.448));
  CHECK(fits.sustained.origin.source.find("150 W") != std::string::npos);
}

TEST_CASE("a generation without an energy per FLOP has no power cap and says so") {
  const perf::Calibration fits = calibration_of("t4");
  CHECK(fits.sustained.share == 1);
  CHECK(fits.sustained.origin.source.find("no power cap") != std::string::npos);
}

TEST_CASE("a kinship that has no spread is refused with the nearest name") {
  const EditedFits edited("kinship", "transfer.json", "\"kinship\": \"same-chip\"",
                          "\"kinship\": \"same-chips\"");
  const auto problems = edited.problems(card("rtx-4090"));
  REQUIRE(problems.size() == 1);
  CHECK(problems[0].code == "unknown-name");
  CHECK(problems[0].line().find("same-chip") != std::string::npos);
}

TEST_CASE("mixed launches transfer by rate of the card's prefill and by number of SMs") {
  const perf::Calibration a100 = calibration_of("a100-sxm-80gb");
  const perf::Calibration rtx4090 = calibration_of("rtx-4090");
  REQUIRE(a100.mixed);
  REQUIRE(rtx4090.mixed);
  CHECK(a100.mixed->decode_rate == Approx(0.86 * a100.prefill.ec));
  // 128 SMs on the RTX 4090, 108 on the A100.
  CHECK(a100.mixed->per_sequence.in(unit::us) ==
        Approx(rtx4090.mixed->per_sequence.in(unit::us)*128 / 108));
  CHECK_FALSE(a100.mixed_origin.measured);
}

TEST_CASE("a fit of the very card comes before what the transfer map lends it") {
  const EditedFits folder("own", "transfer.json", "cards", "cards");
  fs::copy(shipped / "calibration/specs", folder.root / "calibration/specs");
  // That of the L40S, said to be measured on an RTX 6000 Ada with its nominal figures.
  std::string text = read_file(shipped / "calibration/fits/l40s-gemm.json");
  for (const auto& [from, to] : {std::pair{"\"card\": \"l40s\"", "\"card\": \"rtx-6000-ada\""},
                                 {"864 GB/s", "960 GB/s"},
                                 {"362.05 TFLOP/s", "364 TFLOP/s"}}) {
    const auto at = text.find(from);
    REQUIRE(at != std::string::npos);
    text.replace(at, std::string(from).size(), to);
  }
  const hardware::Gpu gpu = card("rtx-6000-ada");
  CHECK(catalog::load_calibration(folder.root, gpu).gemm_origin.card == "l40s");
  write_file(folder.root / "calibration/fits/rtx-6000-ada-gemm.json", text);
  const perf::Calibration own = catalog::load_calibration(folder.root, gpu);
  CHECK(own.gemm_origin.card == "rtx-6000-ada");
  CHECK(own.gemm_origin.measured);
  CHECK(own.gemm_origin.transfer_spread == 0);
  CHECK(own.mixed);  // still lent: nobody measured mixed launches on it
}

TEST_CASE("Hopper has no mixed launch: prefill and decode times add up") {
  CHECK_FALSE(calibration_of("h100-sxm-80gb").mixed);
  CHECK_FALSE(calibration_of("h200-sxm").mixed);
}

TEST_CASE("an RTX PRO 6000 Server reads the output head of Llama-3.1-8B in 687 us, within 3 %") {
  // Measured for a lone sequence: 1.0507 GB at 1529 of the card's 1597 GB/s, launch and all.
  const hardware::Gpu gpu = card("rtx-pro-6000-server");
  const perf::Calibration fits = catalog::load_calibration(shipped, gpu);
  const perf::Card on{gpu.peak(Dtype::bf16), gpu.memory_bandwidth, gpu.sm_count,
                      fits.sustained.share};
  const Seconds time = perf::gemm(fits.gemm, on, {1, 128256, 4096}).time();
  CHECK(time.in(unit::us) == Approx(687).epsilon(0.03));
}

TEST_CASE("collectives come with their pieces, smaller payloads first") {
  const perf::Calibration fits = calibration_of("h100-sxm-80gb");
  const auto pair = std::find_if(
      fits.collectives.begin(), fits.collectives.end(), [](const perf::CollectiveFit& fit) {
        return fit.host == "hgx-h100" && fit.ranks == 2 && fit.implementation == "vllm-0.19";
      });
  REQUIRE(pair != fits.collectives.end());
  CHECK(pair->origin.measured);
  // vLLM's own kernel runs below 8 MiB, NCCL from there on.
  REQUIRE(pair->smaller.size() == 1);
  CHECK(pair->smaller.front().below == 8 * unit::MiB);
  const auto staged = fits.links.staged.find(hardware::Wire::pcie);
  REQUIRE(staged != fits.links.staged.end());
  CHECK(staged->second.efficiency < fits.links.direct.at(hardware::Wire::pcie).efficiency);
}

TEST_CASE("sets stand for every collective, and no stock GeForce card among them") {
  const perf::Calibration fits = calibration_of("rtx-4090");
  for (const auto kind : {hardware::Collective::all_reduce, hardware::Collective::all_gather,
                          hardware::Collective::reduce_scatter, hardware::Collective::all_to_all,
                          hardware::Collective::send_recv}) {
    CHECK(std::any_of(fits.collectives.begin(), fits.collectives.end(),
                      [&](const perf::CollectiveFit& fit) { return fit.collective == kind; }));
  }
  CHECK(std::none_of(fits.collectives.begin(), fits.collectives.end(),
                     [](const perf::CollectiveFit& fit) { return fit.host == "pcie4-no-p2p"; }));
}

TEST_CASE("the files of a calibration are named once each, for provenance") {
  const auto files = catalog::calibration_files(calibration_of("rtx-4000-ada"));
  CHECK(files == std::vector<std::string>{
                     "calibration/fits/collectives.json", "calibration/fits/l40s-attention.json",
                     "calibration/fits/l40s-gemm-fp8-block.json",
                     "calibration/fits/l40s-gemm-fp8.json", "calibration/fits/l40s-gemm-int4.json",
                     "calibration/fits/l40s-gemm-int8-w8a8.json",
                     "calibration/fits/l40s-gemm-int8.json", "calibration/fits/l40s-gemm.json",
                     "calibration/fits/links.json", "calibration/fits/power.json",
                     "calibration/fits/rtx-4090-attention.json",
                     "calibration/fits/rtx-4090-elementwise.json",
                     "calibration/fits/rtx-4090-gemm-gguf.json",
                     "calibration/fits/rtx-pro-6000-server-experts.json",
                     "calibration/fits/sustained-rate.json", "calibration/fits/transfer.json"});
}

TEST_CASE("a card that the transfer map does not know is refused with the nearest name") {
  hardware::Gpu gpu = card("rtx-4090");
  gpu.id = "rtx-4900";
  REQUIRE_THROWS_AS(catalog::load_calibration(shipped, gpu), InputError);
  try {
    catalog::load_calibration(shipped, gpu);
  } catch (const InputError& error) {
    CHECK(std::string(error.what()).find("rtx-4090") != std::string::npos);
  }
}

TEST_CASE("a misspelt key and a bare number for a time are both located") {
  const EditedFits edited("two-faults", "l40s-gemm.json", "\"t0\": \"2.11 us\"",
                          "\"tO\": 1, \"t0\": \"2.11\"");
  const auto problems = edited.problems(card("l40s"));
  REQUIRE(problems.size() == 2);
  CHECK(problems[0].pointer == "/gemm/tO");
  CHECK(problems[0].code == "unknown-key");
  CHECK(problems[1].pointer == "/gemm/t0");
  CHECK(problems[1].code == "missing-unit");
  CHECK(problems[1].position.substr(0, 2) == "10");
}

TEST_CASE("a fraction above 1.02 of the nominal figure is refused") {
  const EditedFits edited("above-peak", "l40s-gemm.json", "\"ec\": 0.75", "\"ec\": 1.03");
  const auto problems = edited.problems(card("l40s"));
  REQUIRE(problems.size() == 1);
  CHECK(problems[0].code == "out-of-range");
}

TEST_CASE("a fit that divides by another bandwidth than the spec sheet's is refused") {
  // 1792 GB/s is the Workstation card's; the fractions would be 12 % too small for 1597.
  const EditedFits edited("other-nominal", "rtx-pro-6000-server-gemm.json", "1597 GB/s",
                          "1792 GB/s");
  const auto problems = edited.problems(card("rtx-pro-6000-server"));
  REQUIRE(problems.size() == 1);
  CHECK(problems[0].pointer == "/fitted_with/bandwidth");
  CHECK(problems[0].code == "spec-mismatch");
}

TEST_CASE("a fit without its held-out error is refused") {
  const EditedFits edited("no-error", "l40s-gemm.json", "\"held_out\"", "\"held_in\"");
  const auto problems = edited.problems(card("l40s"));
  REQUIRE(problems.size() == 2);  // the missing key and the unknown one
  CHECK(std::any_of(problems.begin(), problems.end(),
                    [](const Problem& p) { return p.code == "missing-key"; }));
}

TEST_CASE("a card sent to one without the fit names the missing file") {
  const EditedFits edited("no-file", "transfer.json", "\"from\": \"l40s\"", "\"from\": \"l40\"");
  const auto problems = edited.problems(card("rtx-4000-ada"));
  REQUIRE(problems.size() == 1);
  CHECK(problems[0].line().find("l40-gemm.json") != std::string::npos);
}

TEST_CASE("a fit keeps its parameters in order with the correlation below the diagonal") {
  const perf::FitQuality quality = *calibration_of("rtx-4090").gemm_origin.quality;
  const std::size_t n = quality.parameters.size();
  REQUIRE(n >= 2);
  CHECK(quality.standard_errors.size() == n);
  CHECK(quality.correlation.size() == n * (n - 1) / 2);
  for (const std::string& name : quality.parameters) CHECK(quality.standard_errors.contains(name));
}

TEST_CASE("a negative spread between shapes is refused") {
  const EditedFits edited("spread", "rtx-4090-gemm.json", "\"spread\": ", "\"spread\": -");
  const auto problems = edited.problems(card("rtx-4090"));
  REQUIRE(problems.size() == 1);
  CHECK(problems[0].pointer == "/gemm/fit/held_out/spread");
  CHECK(problems[0].code == "out-of-range");
}
