#pragma once

#include "gpucap/hardware/gpu.hpp"
#include "gpucap/hardware/topology.hpp"
#include "gpucap/units/quantity.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gpucap::hardware {

/// How neighbouring cards of one machine reach each other: the nearest of the links below.
enum class LinkKind {
  nvswitch,
  nvlink_bridge,
  infinity_fabric,
  pcie_peer_to_peer,
  pcie_through_host
};

/// The words of listings: "nvswitch", "pcie_through_host", ...
std::string_view name(LinkKind link);

/// PCIe of one generation: "PCIe 4 x16".
struct PcieLink {
  int generation = 4;
  int lanes = 16;
};

/// One way, after the line code: 8 to 32 GT/s per lane of generations 3 to 5, 128/130.
/// Generations 1 and 2 use 8/10, generation 6 sends flits at 64 GT/s (242/256).
Bandwidth per_direction(const PcieLink& link);

/// How a host is put together. Absent bandwidths: there is no such link. All are one way.
struct HostLayout {
  int machines = 1;
  int sockets = 1;          ///< per machine; each has a root complex and memory of its own
  int gpus_per_socket = 1;  ///< card i of a machine hangs below socket i / gpus_per_socket
  int gpus_per_switch = 0;  ///< PCIe switches below a socket; 0: cards hang at the socket itself
  PcieLink pcie;            ///< of cards, switches and NICs
  PeerReach peers = PeerReach::none;
  std::optional<Bandwidth> nvswitch;         ///< of each card
  std::optional<Bandwidth> nvlink_bridge;    ///< between cards 0 and 1, 2 and 3, ...
  std::optional<Bandwidth> infinity_fabric;  ///< between each two cards
  std::optional<Bandwidth> socket_link;      ///< between each two sockets
  Bandwidth host_memory;                     ///< of one socket
  int nics = 0;                              ///< per machine, spread over switches or sockets
  std::optional<Bandwidth> nic;

  [[nodiscard]] int gpus() const { return machines * sockets * gpus_per_socket; }
  [[nodiscard]] LinkKind link() const;
};

/// The graph of the layout: machine by machine, socket by socket, cards in order.
Topology build_topology(const HostLayout& layout);

/// One or more machines that hold cards.
struct Host {
  /// A figure of the layout and where it comes from.
  struct Figure {
    std::string what;   ///< its key in the host file: "pcie", "socket_link", ...
    std::string value;  ///< as written
    Fact fact;
  };
  std::string id;
  std::string name;
  int max_gpus = 8;
  LinkKind link = LinkKind::pcie_through_host;
  HostLayout layout;
  Topology topology;
  std::vector<Figure> figures;
};

}  // namespace gpucap::hardware
