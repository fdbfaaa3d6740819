#include "gpucap/hardware/host.hpp"

#include <array>

namespace gpucap::hardware {
namespace {

using Part = Topology::Part;
using Vertex = Topology::Vertex;

/// What stands below the sockets of one machine while it is built.
struct Machine {
  std::vector<Vertex> sockets, gpus;
  std::vector<Vertex> branches;  ///< where NICs hang: switches, or sockets that have none
};

class Builder {
 public:
  explicit Builder(const HostLayout& layout) : layout_(layout), pcie_(per_direction(layout.pcie)) {}

  Topology build() {
    topology_.allow_peers(layout_.peers);
    std::vector<std::vector<Vertex>> nics;
    for (int i = 0; i < layout_.machines; ++i) nics.push_back(add_machine(i));
    if (layout_.machines == 1 || !layout_.nic) return std::move(topology_);
    const Vertex network = topology_.add(Part::network, layout_.machines);
    for (const auto& of_machine : nics) {
      for (const Vertex nic : of_machine) {
        topology_.connect(nic, network, Wire::network, *layout_.nic);
      }
    }
    return std::move(topology_);
  }

 private:
  std::vector<Vertex> add_machine(int index) {
    Machine machine;
    for (int socket = 0; socket < layout_.sockets; ++socket) add_socket(machine, index);
    add_card_links(machine, index);
    return add_nics(machine, index);
  }

  void add_socket(Machine& machine, int index) {
    const Vertex root = topology_.add(Part::root_complex, index);
    for (const Vertex other : machine.sockets) {
      if (layout_.socket_link) topology_.connect(root, other, Wire::socket, *layout_.socket_link);
    }
    machine.sockets.push_back(root);
    topology_.connect(root, topology_.add(Part::memory, index), Wire::memory, layout_.host_memory);
    Vertex above = root;
    if (layout_.gpus_per_switch == 0) machine.branches.push_back(root);
    for (int i = 0; i < layout_.gpus_per_socket; ++i) {
      if (layout_.gpus_per_switch > 0 && i % layout_.gpus_per_switch == 0) {
        above = topology_.add(Part::pcie_switch, index);
        topology_.connect(root, above, Wire::pcie, pcie_);
        machine.branches.push_back(above);
      }
      machine.gpus.push_back(topology_.add(Part::gpu, index));
      topology_.connect(above, machine.gpus.back(), Wire::pcie, pcie_);
    }
  }

  void add_card_links(const Machine& machine, int index) {
    const auto& gpus = machine.gpus;
    if (layout_.nvswitch) {
      const Vertex hub = topology_.add(Part::nvswitch, index);
      for (const Vertex gpu : gpus) topology_.connect(gpu, hub, Wire::nvlink, *layout_.nvswitch);
    }
    for (std::size_t i = 0; layout_.nvlink_bridge && i + 1 < gpus.size(); i += 2) {
      topology_.connect(gpus[i], gpus[i + 1], Wire::nvlink, *layout_.nvlink_bridge);
    }
    if (!layout_.infinity_fabric) return;
    for (std::size_t i = 0; i < gpus.size(); ++i) {
      for (std::size_t k = i + 1; k < gpus.size(); ++k) {
        topology_.connect(gpus[i], gpus[k], Wire::infinity_fabric, *layout_.infinity_fabric);
      }
    }
  }

  std::vector<Vertex> add_nics(const Machine& machine, int index) {
    std::vector<Vertex> nics;
    for (int i = 0; i < layout_.nics; ++i) {
      const auto branch = static_cast<std::size_t>(i) * machine.branches.size() /
                          static_cast<std::size_t>(layout_.nics);
      nics.push_back(topology_.add(Part::nic, index));
      topology_.connect(machine.branches[branch], nics.back(), Wire::pcie, pcie_);
    }
    return nics;
  }

  const HostLayout& layout_;
  Bandwidth pcie_;
  Topology topology_;
};

}  // namespace

std::string_view name(LinkKind link) {
  constexpr std::array<std::string_view, 5> words = {"nvswitch", "nvlink_bridge", "infinity_fabric",
                                                     "pcie_peer_to_peer", "pcie_through_host"};
  return words[static_cast<std::size_t>(link)];
}

Bandwidth per_direction(const PcieLink& link) {
  struct Rate {
    double gigabits, code;
  };
  constexpr std::array<Rate, 6> rates = {{{2.5, 0.8},
                                          {5, 0.8},
                                          {8, 128. / 130},
                                          {16, 128. / 130},
                                          {32, 128. / 130},
                                          {64, 242. / 256}}};
  const Rate& rate = rates.at(static_cast<std::size_t>(link.generation - 1));
  constexpr double bits_per_byte = 8;
  return link.lanes * rate.gigabits * rate.code / bits_per_byte * unit::GB_per_s;
}

LinkKind HostLayout::link() const {
  if (nvswitch) return LinkKind::nvswitch;
  if (nvlink_bridge) return LinkKind::nvlink_bridge;
  if (infinity_fabric) return LinkKind::infinity_fabric;
  return peers == PeerReach::none ? LinkKind::pcie_through_host : LinkKind::pcie_peer_to_peer;
}

Topology build_topology(const HostLayout& layout) {
  return Builder(layout).build();
}

}  // namespace gpucap::hardware
