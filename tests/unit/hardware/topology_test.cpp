#include "gpucap/hardware/collective.hpp"
#include "gpucap/hardware/host.hpp"

#include "support/catch.hpp"

using namespace gpucap;
using namespace gpucap::hardware;

namespace {

/// Two sockets of four cards in switches of two; PCIe 4 x16 is 31.508 GB/s one way.
HostLayout two_sockets(PeerReach peers) {
  HostLayout layout;
  layout.sockets = 2;
  layout.gpus_per_socket = 4;
  layout.gpus_per_switch = 2;
  layout.peers = peers;
  layout.socket_link = 60 * unit::GB_per_s;
  layout.host_memory = 200 * unit::GB_per_s;
  return layout;
}

/// Links that achieve all of their rate; a hop costs 1 us, over the network 10.
LinkRates ideal() {
  LinkRates rates;
  rates.launch = 5 * unit::us;
  for (const Wire wire : {Wire::nvlink, Wire::infinity_fabric, Wire::pcie, Wire::socket,
                          Wire::memory, Wire::network}) {
    rates.direct[wire] = {1, 0.1, (wire == Wire::network ? 10 : 1) * unit::us, "ideal"};
  }
  return rates;
}

Route route(const Topology& topology, std::size_t from, std::size_t to) {
  return topology.route(topology.gpus()[from], topology.gpus()[to]);
}

double gb(const CollectiveCost& cost) {
  return cost.busbw.in(unit::GB_per_s);
}

}  // namespace

TEST_CASE("PCIe 4 x16 carries 16 lanes of 16 GT/s in 128/130 code") {
  CHECK(per_direction({4, 16}).in(unit::GB_per_s) == Approx(16 * 16 * 128. / 130 / 8));
  CHECK(per_direction({3, 8}).in(unit::GB_per_s) == Approx(8 * 8 * 128. / 130 / 8));
}

TEST_CASE("a copy passes the fewest far links, and memory only where it must be staged") {
  const Topology open = build_topology(two_sockets(PeerReach::everywhere));
  CHECK(route(open, 0, 1).lanes.size() == 2);  // card, switch, card
  CHECK(route(open, 0, 2).lanes.size() == 4);  // card, switch, root, switch, card
  CHECK(route(open, 0, 4).lanes.size() == 5);  // and the socket link
  CHECK_FALSE(route(open, 0, 4).staged);

  const Topology closed = build_topology(two_sockets(PeerReach::none));
  // card, switch, root, memory, root, switch, card
  CHECK(route(closed, 0, 1).lanes.size() == 6);
  CHECK(route(closed, 0, 1).staged);
}

TEST_CASE("peer-to-peer ends at the switch or at the socket where the host says so") {
  const Topology switches = build_topology(two_sockets(PeerReach::below_switch));
  CHECK_FALSE(route(switches, 0, 1).staged);
  CHECK(route(switches, 0, 2).staged);
  const Topology sockets = build_topology(two_sockets(PeerReach::below_socket));
  CHECK_FALSE(route(sockets, 0, 2).staged);
  CHECK(route(sockets, 0, 4).staged);
}

TEST_CASE("a ring visits neighbours first and closes over the farthest pair") {
  const Topology topology = build_topology(two_sockets(PeerReach::everywhere));
  const auto order = ring_order(topology, 8);
  CHECK(order == topology.gpus());
  CHECK_THROWS_AS(ring_order(topology, 9), std::invalid_argument);
}

TEST_CASE("direct copies of a ring share nothing, so PCIe itself is the limit") {
  const Topology topology = build_topology(two_sockets(PeerReach::everywhere));
  const auto cost = collective_cost(topology, ideal(), Collective::all_reduce, 8);
  CHECK(gb(cost) == Approx(31.508).epsilon(0.001));
  CHECK(cost.limit == Wire::pcie);
  // 2 (8 - 1) steps of 1 us after a launch of 5
  CHECK(cost.alpha.in(unit::us) == Approx(5 + 14));
  CHECK(collective_cost(topology, ideal(), Collective::all_gather, 8).alpha.in(unit::us) ==
        Approx(5 + 7));
}

TEST_CASE("staged copies cross host memory twice and share it") {
  HostLayout layout = two_sockets(PeerReach::none);
  layout.host_memory = 40 * unit::GB_per_s;
  // Each card's copy is written to memory and read from it. Below one socket four copies write at
  // once: 40 / 4 = 10 GB/s each. A link has two directions, so writing does not slow reading.
  const auto cost = collective_cost(build_topology(layout), ideal(), Collective::all_reduce, 4);
  CHECK(gb(cost) == Approx(10));
  CHECK(cost.limit == Wire::memory);
  CHECK(cost.staged);
}

TEST_CASE("a staged copy that crosses sockets is slower by its own share") {
  LinkRates rates = ideal();
  rates.staged[Wire::pcie] = {0.2, 0.25, 1 * unit::us, "staged"};
  rates.staged[Wire::socket] = {0.5, 1, 1 * unit::us, "across"};
  HostLayout layout = two_sockets(PeerReach::none);
  layout.gpus_per_switch = 0;  // two cards would share the way out of their switch
  const Topology topology = build_topology(layout);
  const auto within = collective_cost(topology, rates, Collective::all_reduce, 4);
  CHECK(gb(within) == Approx(0.2 * 31.508).epsilon(0.001));
  CHECK(within.error == 0.25);
  const auto across = collective_cost(topology, rates, Collective::all_reduce, 8);
  CHECK(gb(across) == Approx(0.5 * 0.2 * 31.508).epsilon(0.001));
  CHECK(across.error == 1);
}

TEST_CASE("an all-to-all crowds the way out of a switch, and the link between sockets") {
  HostLayout layout = two_sockets(PeerReach::everywhere);
  // Two cards of a switch send 6 copies each out of it, each 1/7 of what a rank sends:
  // 31.508 / (12/7) = 18.38 GB/s.
  const auto narrow = collective_cost(build_topology(layout), ideal(), Collective::all_to_all, 8);
  CHECK(gb(narrow) == Approx(31.508 * 7 / 12).epsilon(0.001));
  CHECK(narrow.limit == Wire::pcie);
  // Without switches 4 x 4 copies cross the sockets each way: 60 / (16/7) = 26.25 GB/s.
  layout.gpus_per_switch = 0;
  const auto wide = collective_cost(build_topology(layout), ideal(), Collective::all_to_all, 8);
  CHECK(gb(wide) == Approx(26.25));
  CHECK(wide.limit == Wire::socket);
}

TEST_CASE("bridged pairs are fast alone, and a ring over two pairs crosses PCIe") {
  HostLayout layout = two_sockets(PeerReach::everywhere);
  layout.nvlink_bridge = 300 * unit::GB_per_s;
  const Topology topology = build_topology(layout);
  CHECK(gb(collective_cost(topology, ideal(), Collective::all_reduce, 2)) == Approx(300));
  CHECK(gb(collective_cost(topology, ideal(), Collective::all_reduce, 4)) ==
        Approx(31.508).epsilon(0.001));
}

TEST_CASE("cards that are all linked run a ring per stride that visits every card") {
  HostLayout layout = two_sockets(PeerReach::everywhere);
  layout.infinity_fabric = 64 * unit::GB_per_s;
  const Topology topology = build_topology(layout);
  CHECK(gb(collective_cost(topology, ideal(), Collective::all_reduce, 2)) == Approx(64));
  // Strides 1, 3, 5 and 7 visit all eight: four rings at once.
  CHECK(gb(collective_cost(topology, ideal(), Collective::all_reduce, 8)) == Approx(4 * 64));
  // Every card writes to the seven others over links of their own.
  CHECK(gb(collective_cost(topology, ideal(), Collective::all_to_all, 8)) == Approx(7 * 64));
}

TEST_CASE("two machines share one NIC or run a ring per NIC") {
  HostLayout layout = two_sockets(PeerReach::everywhere);
  layout.machines = 2;
  layout.nic = 12.5 * unit::GB_per_s;
  layout.nics = 1;
  const auto narrow = collective_cost(build_topology(layout), ideal(), Collective::all_reduce, 16);
  CHECK(gb(narrow) == Approx(12.5));
  CHECK(narrow.limit == Wire::network);
  // 14 hops of 1 us and 2 of 10 in a round, 2 x 15/16 rounds
  CHECK(narrow.alpha.in(unit::us) == Approx(5 + 2 * 15. / 16 * 34));
  // Four NICs, one below each switch of two cards: 50 GB/s, more than PCIe carries between cards,
  // less than NVSwitch does.
  layout.nics = 4;
  CHECK(gb(collective_cost(build_topology(layout), ideal(), Collective::all_reduce, 16)) ==
        Approx(31.508).epsilon(0.001));
  layout.nvswitch = 300 * unit::GB_per_s;
  const auto wide = collective_cost(build_topology(layout), ideal(), Collective::all_reduce, 16);
  CHECK(gb(wide) == Approx(50));
  CHECK(wide.limit == Wire::network);
}
