#include "gpucap/hardware/host.hpp"

namespace gpucap::hardware {

std::string_view name(LinkKind link) {
  switch (link) {
    case LinkKind::nvswitch:
      return "nvswitch";
    case LinkKind::nvlink_bridge:
      return "nvlink_bridge";
    case LinkKind::infinity_fabric:
      return "infinity_fabric";
    case LinkKind::pcie_peer_to_peer:
      return "pcie_peer_to_peer";
    case LinkKind::pcie_through_host:
      break;
  }
  return "pcie_through_host";
}

}  // namespace gpucap::hardware
