#include "gpucap/catalog/hosts.hpp"

#include "gpucap/catalog/fits.hpp"
#include "gpucap/catalog/gpus.hpp"
#include "gpucap/plan/collective.hpp"

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
  std::string text = R"({"id": "h", "name": "H", "sockets": 2, "gpus_per_socket": 4,
  "pcie": {"value": "PCIe 4 x16", "kind": "assumed", "source": "a"},
  "peer_to_peer": {"value": "everywhere", "kind": "measured", "source": "b"},
  "socket_link": {"value": "60 GB/s", "kind": "assumed", "source": "c"},
  "host_memory": {"value": "200 GB/s", "kind": "assumed", "source": "d"}})";
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
  const auto book = catalog::load_gpus(GPUCAP_SOURCE_DIR);
  for (const auto& gpu : book.all()) {
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
  const auto calibration = catalog::load_collectives(GPUCAP_SOURCE_DIR);
  const auto bandwidth = [&](const char* id) {
    const auto* host = hosts().find(id);
    REQUIRE(host != nullptr);
    return plan::collective_on(calibration, *host, hardware::Collective::all_reduce, 2, "")
        .busbw.in(unit::GB_per_s);
  };
  // Staged: 0.173 of PCIe 4 x16, 31.5 GB/s; a bridge: 0.683 of 300.
  CHECK(bandwidth("pcie4-no-p2p") == Approx(5.45).epsilon(0.001));
  CHECK(bandwidth("pcie4-no-p2p") < bandwidth("pcie4-p2p"));
  CHECK(bandwidth("pcie4-p2p") < bandwidth("a100-pcie-nvlink-bridge"));
  CHECK(bandwidth("a100-pcie-nvlink-bridge") == Approx(204.9).epsilon(0.001));
  // nccl-tests: 2^29 B in 2781.1 us = 193.0 GB/s, the start included
  CHECK(bandwidth("hgx-a100") == Approx(193.0).epsilon(0.05));
}

TEST_CASE("every figure of a host says where it comes from") {
  for (const auto& host : hosts().all()) {
    INFO(host.id);
    CHECK(host.figures.size() >= 3);
    for (const auto& figure : host.figures) CHECK(figure.fact.source.size() > 8);
    CHECK(host.topology.gpus().size() == static_cast<std::size_t>(host.max_gpus));
  }
}

TEST_CASE("a host that is too small or unknown is refused with a name") {
  CHECK_THROWS_WITH(hosts().default_host(card("rtx-4090"), 9),
                    Catch::Matchers::Contains("9 rtx-4090 do not fit into host \"pcie4-no-p2p\""));
  CHECK(hosts().find("hgx-h10") == nullptr);
  CHECK(hosts().unknown("pcie4-p2") == "unknown host \"pcie4-p2\"; did you mean \"pcie4-p2p\"?");
}

TEST_CASE("a broken host file is refused where it is wrong") {
  CHECK(fault_of("everywhere", "everywere")
            .find("/peer_to_peer/value: unknown reach of peer-to-peer \"everywere\"; did you mean "
                  "\"everywhere\"?") != std::string::npos);
  CHECK(fault_of("60 GB/s", "60").find("/socket_link/value: \"60\" has no unit") !=
        std::string::npos);
  CHECK(fault_of("\"sockets\": 2", "\"sockets\": 0").find("must be between 1 and 64") !=
        std::string::npos);
  CHECK(fault_of("200 GB/s", "0 GB/s").find("must be above zero") != std::string::npos);
  CHECK(fault_of("PCIe 4 x16", "PCIe 4 x12").find("must read like \"PCIe 4 x16\"") !=
        std::string::npos);
  CHECK(fault_of("\"sockets\": 2", "\"sockets\": 2, \"machines\": 2")
            .find("/machines: needs \"nics_per_machine\" and a \"nic\"") != std::string::npos);
  CHECK(fault_of("everywhere", "below_switch").find("needs \"gpus_per_switch\"") !=
        std::string::npos);
}
