#pragma once

#include "gpucap/core/random.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

#include "elastic.hpp"
#include "scheduler.hpp"
#include "world.hpp"

namespace gpucap::cluster {

/// Faults of nodes and what they do. Every class of every node is a Poisson process with a random
/// stream of its own that runs on while the node is away, so that when nodes fail depends neither
/// on the jobs nor on the policy.
class Faults {
 public:
  Faults(World& world, Scheduler& scheduler, Elastic& elastic);

  void fault(const Event& event);
  void reclaim(const Event& event);
  void node_back(const Event& event);

 private:
  [[nodiscard]] RandomStream& stream(const Event& event);
  void schedule_next(const Event& event);
  [[nodiscard]] const FaultClass& class_of(const Event& event) const;
  void hit_gpu(const Event& event);
  void announce(const Event& event);
  void strike(const Event& event);
  void stop(std::uint32_t job, SimTime notice);

  World& world_;
  Scheduler& scheduler_;
  Elastic& elastic_;
  std::vector<std::vector<RandomStream>> streams_;  ///< by group; by node, then by class
};

}  // namespace gpucap::cluster
