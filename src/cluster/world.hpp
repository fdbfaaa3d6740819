#pragma once

#include "gpucap/cluster/simulate.hpp"
#include "gpucap/engine/agenda.hpp"

#include <cstddef>
#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include "demand.hpp"
#include "live_jobs.hpp"
#include "machines.hpp"

namespace gpucap::cluster {

/// Something that will happen: which one of its fields count depends on what it is.
struct Event {
  enum class Kind : std::uint8_t { end, fault, reclaim, node_back } kind = Kind::end;
  std::uint32_t number = 0;  // of the stay, or of the change of the node: cancelled if not the same
  std::uint32_t job = 0;     // end
  std::uint32_t group = 0, node = 0, fault = 0;  // the others
};

/// The state that all parts of a run share.
struct World {
  World(const ClusterPlan& cluster_plan, const std::vector<Sink*>& told)
      : plan(cluster_plan),
        sinks(told),
        machines(plan.groups),
        demands(plan.groups),
        ending(plan.groups.size()) {
    record.groups.resize(plan.groups.size());
    record.gpus = plan.gpus();
  }

  const ClusterPlan& plan;
  const std::vector<Sink*>& sinks;
  SimTime now;
  Machines machines;
  Demands demands;
  LiveJobs jobs;
  engine::Agenda<Event> agenda;
  ClusterRecord record;
  /// Running jobs of each group by the end that they are expected to have; kept for backfill only.
  std::vector<std::set<std::pair<SimTime, std::uint32_t>>> ending;

  template <class Tell>
  void tell(Tell to) const {
    for (Sink* sink : sinks) to(*sink);
  }
};

}  // namespace gpucap::cluster
