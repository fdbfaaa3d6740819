#pragma once

#include "gpucap/units/quantity.hpp"

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

namespace gpucap::hardware {

/// What a link is made of; `socket` joins the root complexes of a machine, `memory` a root complex
/// and its host memory, `network` a NIC and the network.
enum class Wire { nvlink, infinity_fabric, pcie, socket, memory, network };

/// The words of the data files: "nvlink", "infinity_fabric", "pcie", ...
std::string_view name(Wire wire);

/// How far a card may write into the memory of another over PCIe; beyond that, and wherever the
/// answer is not known, a copy is staged through host memory. NVLink and Infinity Fabric always
/// copy directly.
enum class PeerReach { none, below_switch, below_socket, everywhere };

/// One direction of a link. `edge` names it within its topology.
struct Lane {
  std::size_t edge = 0;
  Wire wire = Wire::pcie;
  Bandwidth nominal;  ///< of this direction, by specification
};

/// The way from one card to another.
struct Route {
  std::vector<Lane> lanes;  ///< in order; a staged copy enters and leaves host memory on the way
  bool staged = false;
  std::int64_t distance = 0;  ///< smaller is nearer; only its order means anything
};

/// The machines that hold cards, as a graph: cards, PCIe switches, root complexes (one per socket),
/// host memory, NICs, NVSwitch, network. Links have two directions of equal bandwidth.
class Topology {
 public:
  using Vertex = std::size_t;
  enum class Part { gpu, pcie_switch, root_complex, memory, nic, nvswitch, network };

  Topology();
  ~Topology();
  Topology(const Topology&);
  Topology(Topology&&) noexcept;
  Topology& operator=(const Topology&);
  Topology& operator=(Topology&&) noexcept;

  /// A part of a machine; machines are numbered from 0.
  Vertex add(Part part, int machine);
  /// A link with both of its directions.
  void connect(Vertex a, Vertex b, Wire wire, Bandwidth per_direction);
  void allow_peers(PeerReach reach) { reach_ = reach; }

  /// In the order in which they were added.
  [[nodiscard]] const std::vector<Vertex>& gpus() const { return gpus_; }
  [[nodiscard]] int machine_of(Vertex vertex) const;
  [[nodiscard]] std::int64_t count(Part part) const;  ///< in all machines
  /// Do the two hang together by a link of their own?
  [[nodiscard]] bool adjacent(Vertex a, Vertex b) const;

  /// The shortest way between two cards; of equals the one built first. Throws std::logic_error
  /// when there is none, and when a copy must be staged on a machine without host memory.
  [[nodiscard]] Route route(Vertex from, Vertex to) const;

 private:
  struct Graph;
  [[nodiscard]] Route staged_route(Vertex from, Vertex to) const;
  [[nodiscard]] bool reaches(const Route& route) const;

  std::unique_ptr<Graph> graph_;
  std::vector<Vertex> gpus_;
  PeerReach reach_ = PeerReach::none;
};

}  // namespace gpucap::hardware
