#pragma once

#include "gpucap/units/quantity.hpp"

#include <string>
#include <string_view>

namespace gpucap::hardware {

/// How the cards of one node reach each other.
enum class LinkKind {
  nvswitch,
  nvlink_bridge,
  infinity_fabric,
  pcie_peer_to_peer,
  pcie_through_host
};

/// The words of the host files: "nvswitch", "pcie_through_host", ...
std::string_view name(LinkKind link);

/// A machine that holds cards. What a ring over its cards can carry, and after what delay.
struct Host {
  std::string id;
  std::string name;
  int max_gpus = 8;
  LinkKind link = LinkKind::pcie_through_host;
  Bandwidth ring_bandwidth;  ///< bus bandwidth of a large all-reduce over two cards (nccl-tests)
  Seconds ring_latency;      ///< start cost of one all-reduce over two cards
  bool measured = false;     ///< the bandwidth; false: derived or assumed
  std::string source;
};

}  // namespace gpucap::hardware
