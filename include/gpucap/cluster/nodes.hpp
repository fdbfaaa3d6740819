#pragma once

#include "gpucap/units/quantity.hpp"
#include "gpucap/units/sim_time.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace gpucap::cluster {

/// What a fault stops: all jobs of a node, or those on one of its GPUs.
enum class Hits : std::uint8_t { node, gpu };

/// One way in which nodes fail or are taken away, as a Poisson process of every node.
/// A class for hardware, one for memory errors of cards without ECC and one for spot reclaims can
/// stand beside each other, each with its rate.
struct FaultClass {
  std::string name;
  Seconds mean_between;  ///< of one node, or of one GPU; above 0
  Hits hits = Hits::node;
  SimTime away{};    ///< until the node is back or replaced; 0: only the jobs end. GPUs: always 0
  SimTime notice{};  ///< told so long before; until then jobs run on and none is started there
};

/// Nodes that are alike. A gang never spans two groups.
struct NodeGroup {
  std::string name;
  std::int64_t nodes = 0;          ///< at least 1
  std::int64_t gpus_per_node = 0;  ///< 1 to 64
  std::vector<FaultClass> faults{};

  [[nodiscard]] std::int64_t gpus() const { return nodes * gpus_per_node; }
};

}  // namespace gpucap::cluster
