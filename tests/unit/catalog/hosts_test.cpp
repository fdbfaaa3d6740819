#include "gpucap/catalog/hosts.hpp"

#include "gpucap/catalog/gpus.hpp"

#include "support/catch.hpp"

using namespace gpucap;
using catalog::JsonDocument;
using hardware::LinkKind;

namespace {

const catalog::HostBook& hosts() {
  static const catalog::HostBook all = catalog::load_hosts(GPUCAP_SOURCE_DIR);
  return all;
}

const hardware::Gpu& card(const std::string& id) {
  static const catalog::GpuBook all = catalog::load_gpus(GPUCAP_SOURCE_DIR);
  const hardware::Gpu* gpu = all.find(id);
  REQUIRE(gpu != nullptr);
  return *gpu;
}

std::string default_of(const std::string& gpu) {
  return hosts().default_host(card(gpu), 2).host->id;
}

std::string fault_of(const std::string& from, const std::string& to) {
  std::string text = R"({"id": "h", "name": "H", "max_gpus": 8, "link": "nvswitch",
  "ring_bandwidth": {"value": "6 GB/s", "kind": "measured", "source": "a"},
  "ring_latency": {"value": "40 us", "kind": "assumed", "source": "b"}})";
  text.replace(text.find(from), from.size(), to);
  try {
    catalog::read_host(JsonDocument("h.json", text));
  } catch (const InputError& error) {
    return error.what();
  }
  return "none";
}

}  // namespace

TEST_CASE("cards on a board live on that board, whatever the count") {
  CHECK(default_of("a100-sxm-80gb") == "hgx-a100");
  CHECK(default_of("h100-sxm-80gb") == "hgx-h100");
  CHECK(default_of("h200-sxm") == "hgx-h200");
  CHECK(hosts().default_host(card("mi300x"), 8).host->link == LinkKind::infinity_fabric);
}

TEST_CASE("PCIe cards copy directly where peer-to-peer is known, else through host memory") {
  CHECK(default_of("a100-pcie-80gb") == "a100-pcie");
  CHECK(default_of("h100-pcie-80gb") == "pcie5-p2p");
  CHECK(default_of("rtx-pro-6000-server") == "pcie5-p2p");
  CHECK(default_of("rtx-4090") == "pcie4-no-p2p");
  CHECK(default_of("rtx-6000-ada") == "pcie4-no-p2p");
}

TEST_CASE("every card has a default host and no bridge is ever assumed") {
  for (const auto& gpu : catalog::load_gpus(GPUCAP_SOURCE_DIR).all()) {
    INFO(gpu.id);
    CHECK(hosts().default_host(gpu, 2).host->link != LinkKind::nvlink_bridge);
  }
}

TEST_CASE("only an unsettled peer-to-peer that matters brings a caveat") {
  CHECK(hosts().default_host(card("rtx-6000-ada"), 2).caveat ==
        "peer-to-peer of rtx-6000-ada is not settled by a source: copies between cards are taken "
        "to go through host memory");
  CHECK(hosts().default_host(card("rtx-6000-ada"), 1).caveat.empty());
  CHECK(hosts().default_host(card("rtx-4090"), 2).caveat.empty());
}

TEST_CASE("what a ring carries falls from NVSwitch over direct PCIe to host memory") {
  const auto bandwidth = [](const char* id) {
    const auto* host = hosts().find(id);
    REQUIRE(host != nullptr);
    return host->ring_bandwidth.in(unit::GB_per_s);
  };
  CHECK(bandwidth("pcie4-no-p2p") == Approx(6));
  CHECK(bandwidth("pcie4-no-p2p") < bandwidth("pcie4-p2p"));
  CHECK(bandwidth("pcie4-p2p") < bandwidth("a100-pcie-nvlink-bridge"));
  // nccl-tests counts 2 (n-1)/n of the payload: 2^29 B / 2781.1 us = 193.0 GB/s with two cards
  CHECK(bandwidth("hgx-a100") == Approx(193.0).epsilon(0.001));
  // 2^29 B / 13.9 ms = 38.6 GB/s
  CHECK(bandwidth("pcie5-p2p") == Approx(38.6).epsilon(0.002));
}

TEST_CASE("a host tells whether its bandwidth was measured, and by whom") {
  CHECK(hosts().find("hgx-h100")->measured);
  CHECK_FALSE(hosts().find("pcie4-no-p2p")->measured);
  for (const auto& host : hosts().all()) {
    INFO(host.id);
    CHECK(host.source.size() > 20);
    CHECK(host.ring_latency.in(unit::us) > 1);
    CHECK(host.ring_latency.in(unit::us) < 100);
  }
}

TEST_CASE("a host that is too small or unknown is refused with a name") {
  CHECK_THROWS_WITH(hosts().default_host(card("rtx-4090"), 9),
                    Catch::Matchers::Contains("9 rtx-4090 do not fit into host \"pcie4-no-p2p\""));
  CHECK(hosts().find("hgx-h10") == nullptr);
  CHECK(hosts().unknown("pcie4-p2") == "unknown host \"pcie4-p2\"; did you mean \"pcie4-p2p\"?");
}

TEST_CASE("a broken host file is refused where it is wrong") {
  CHECK(fault_of("nvswitch", "nvswich") ==
        "h.json:1:49: /link: unknown link \"nvswich\"; did you mean \"nvswitch\"? [unknown-name]");
  CHECK(fault_of("6 GB/s", "6").find("/ring_bandwidth/value: \"6\" has no unit") !=
        std::string::npos);
  CHECK(fault_of("\"max_gpus\": 8", "\"max_gpus\": 0").find("must be between 1 and 1024") !=
        std::string::npos);
  CHECK(fault_of("40 us", "0 us").find("must be above zero") != std::string::npos);
}
