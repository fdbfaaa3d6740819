#pragma once

#include "gpucap/cluster/free_map.hpp"
#include "gpucap/cluster/nodes.hpp"
#include "gpucap/cluster/simulate.hpp"

#include <cstddef>
#include <cstdint>
#include <set>
#include <utility>
#include <vector>

namespace gpucap::cluster {

enum class NodeState : std::uint8_t { up, draining, away };

/// The nodes of all groups: what is free, who runs where, which are away, and for how long.
class Machines {
 public:
  explicit Machines(const std::vector<NodeGroup>& groups);

  FreeMap& map(std::size_t group) { return groups_[group].map; }
  [[nodiscard]] NodeState state(std::size_t group, std::uint32_t node) const {
    return groups_[group].nodes[node].state;
  }
  [[nodiscard]] const std::vector<std::uint32_t>& jobs_on(std::size_t group,
                                                          std::uint32_t node) const {
    return groups_[group].nodes[node].jobs;
  }
  /// How often the state of a node has changed.
  [[nodiscard]] std::uint32_t changes(std::size_t group, std::uint32_t node) const {
    return groups_[group].nodes[node].changes;
  }
  /// Nodes that are away by the instant at which they return.
  [[nodiscard]] const std::set<std::pair<SimTime, std::uint32_t>>& returning(
      std::size_t group) const {
    return groups_[group].returning;
  }

  void take(std::size_t group, const Placement& placement, std::uint32_t job);
  void give(std::size_t group, const Placement& placement, std::uint32_t job);

  void drain(std::size_t group, std::uint32_t node);
  /// Nobody may run on it any more.
  void take_away(std::size_t group, std::uint32_t node, SimTime returns);
  void bring_back(std::size_t group, std::uint32_t node);

  /// Adds what is free and away now, for so long, to the record.
  void pass_time(SimTime duration, std::vector<GroupRecord>& records) const;

 private:
  struct Node {
    NodeState state = NodeState::up;
    std::uint32_t changes = 0;
    SimTime returns;
    std::vector<std::uint32_t> jobs;
  };
  struct Group {
    FreeMap map;
    std::vector<Node> nodes;
    std::int64_t node_thousandths = 0;
    std::int64_t idle_thousandths = 0, away_thousandths = 0;
    std::set<std::pair<SimTime, std::uint32_t>> returning;
  };
  static void change(Node& node, NodeState state) {
    node.state = state;
    ++node.changes;
  }
  std::vector<Group> groups_;
};

}  // namespace gpucap::cluster
