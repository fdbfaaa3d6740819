#include "machines.hpp"

#include <algorithm>
#include <bit>

namespace gpucap::cluster {
namespace {

std::int64_t thousandths_of(const Placement& placement) {
  std::int64_t sum = 0;
  for (const Part& part : placement.parts) sum += std::popcount(part.gpus) * placement.share;
  return sum;
}

}  // namespace

Machines::Machines(const std::vector<NodeGroup>& groups) {
  for (const NodeGroup& group : groups) {
    groups_.push_back({FreeMap(group.nodes, group.gpus_per_node),
                       std::vector<Node>(static_cast<std::size_t>(group.nodes)),
                       group.gpus_per_node * whole_gpu,
                       group.gpus() * whole_gpu,
                       0,
                       {}});
  }
}

void Machines::take(std::size_t group, const Placement& placement, std::uint32_t job) {
  Group& at = groups_[group];
  at.map.take(placement);
  at.idle_thousandths -= thousandths_of(placement);
  for (const Part& part : placement.parts) at.nodes[part.node].jobs.push_back(job);
}

void Machines::give(std::size_t group, const Placement& placement, std::uint32_t job) {
  Group& at = groups_[group];
  at.map.give(placement);
  at.idle_thousandths += thousandths_of(placement);
  for (const Part& part : placement.parts) {
    auto& jobs = at.nodes[part.node].jobs;
    *std::ranges::find(jobs, job) = jobs.back();
    jobs.pop_back();
  }
}

void Machines::drain(std::size_t group, std::uint32_t node) {
  groups_[group].map.close(node);
  change(groups_[group].nodes[node], NodeState::draining);
}

void Machines::take_away(std::size_t group, std::uint32_t node, SimTime returns) {
  Group& at = groups_[group];
  if (at.nodes[node].state == NodeState::up) at.map.close(node);
  change(at.nodes[node], NodeState::away);
  at.nodes[node].returns = returns;
  at.returning.emplace(returns, node);
  at.idle_thousandths -= at.node_thousandths;
  at.away_thousandths += at.node_thousandths;
}

void Machines::bring_back(std::size_t group, std::uint32_t node) {
  Group& at = groups_[group];
  if (at.nodes[node].state == NodeState::away) {
    at.returning.erase({at.nodes[node].returns, node});
    at.idle_thousandths += at.node_thousandths;
    at.away_thousandths -= at.node_thousandths;
  }
  change(at.nodes[node], NodeState::up);
  at.map.open(node);
}

void Machines::pass_time(SimTime duration, std::vector<GroupRecord>& records) const {
  for (std::size_t group = 0; group < groups_.size(); ++group) {
    records[group].idle += GpuTime::of(groups_[group].idle_thousandths, duration);
    records[group].away += GpuTime::of(groups_[group].away_thousandths, duration);
  }
}

}  // namespace gpucap::cluster
