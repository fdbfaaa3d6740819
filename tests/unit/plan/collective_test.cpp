#include "gpucap/plan/collective.hpp"

#include "support/catch.hpp"

using namespace gpucap;
using hardware::Collective;

namespace {

hardware::Host eight_on_one_socket() {
  hardware::Host host;
  host.id = "here";
  host.layout.gpus_per_socket = 8;
  host.layout.peers = hardware::PeerReach::everywhere;
  host.layout.host_memory = 200 * unit::GB_per_s;
  host.max_gpus = host.layout.gpus();
  host.topology = build_topology(host.layout);
  return host;
}

perf::CollectiveFit set_of(int ranks, const std::string& implementation, double gb_per_s) {
  perf::CollectiveFit fit;
  fit.host = "here";
  fit.ranks = ranks;
  fit.implementation = implementation;
  fit.busbw = gb_per_s * unit::GB_per_s;
  return fit;
}

/// Half of the nominal 31.508 GB/s: 15.75 by the links alone.
perf::Calibration calibration(std::vector<perf::CollectiveFit> sets) {
  perf::Calibration fits;
  fits.collectives = std::move(sets);
  fits.links.launch = 5 * unit::us;
  fits.links.q = 0.6;
  fits.links.direct[hardware::Wire::pcie] = {0.5, 0.3, 1 * unit::us, "a"};
  return fits;
}

std::string chosen(const perf::Calibration& fits, const std::string& engine) {
  return plan::collective_on(fits, eight_on_one_socket(), Collective::all_reduce, 2, engine)
      .implementation;
}

}  // namespace

TEST_CASE("an engine takes its own all-reduce, of the version nearest to its own") {
  const auto fits = calibration({set_of(2, "nccl-2.27.3", 20), set_of(2, "vllm-0.14", 18),
                                 set_of(2, "vllm-0.19", 15), set_of(2, "vllm-0.24", 39)});
  CHECK(chosen(fits, "vllm-0.19") == "vllm-0.19");
  CHECK(chosen(fits, "vllm-0.9.2") == "vllm-0.14");
  CHECK(chosen(fits, "vllm-0.21") == "vllm-0.19");
  CHECK(chosen(fits, "vllm-0.23") == "vllm-0.24");
}

TEST_CASE("an engine without an all-reduce of its own takes the newest NCCL") {
  const auto fits = calibration(
      {set_of(2, "vllm-0.19", 15), set_of(2, "nccl-2.9.1", 20), set_of(2, "nccl-2.27.3", 21)});
  CHECK(chosen(fits, "llama-cpp") == "nccl-2.27.3");
  CHECK(chosen(fits, "") == "nccl-2.27.3");
}

TEST_CASE("without a measured set the links answer, with their interval") {
  const auto fit = plan::collective_on(calibration({}), eight_on_one_socket(),
                                       Collective::all_reduce, 4, "vllm-0.19");
  CHECK(fit.implementation == "links");
  CHECK(fit.busbw.in(unit::GB_per_s) == Approx(31.508 / 2).epsilon(0.001));
  CHECK(fit.alpha.in(unit::us) == Approx(5 + 6));
  CHECK(fit.interval == 0.3);
  CHECK_FALSE(fit.origin.measured);
}

TEST_CASE("a host measured with fewer cards keeps its own share of the usual rate") {
  // 25.2 GB/s over four is 1.6 times what the links say; so are six. Another exchange is not.
  const auto fits = calibration({set_of(4, "nccl-2.27.3", 1.6 * 31.508 / 2)});
  const auto host = eight_on_one_socket();
  const auto six = plan::collective_on(fits, host, Collective::all_reduce, 6, "");
  CHECK(six.busbw.in(unit::GB_per_s) == Approx(1.6 * 31.508 / 2).epsilon(0.001));
  const auto gather = plan::collective_on(fits, host, Collective::all_gather, 6, "");
  CHECK(gather.busbw.in(unit::GB_per_s) == Approx(31.508 / 2).epsilon(0.001));
}
