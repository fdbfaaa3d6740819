#include "faults.hpp"

#include "stays.hpp"
#include <fmt/format.h>

namespace gpucap::cluster {

Faults::Faults(World& world, Scheduler& scheduler, Elastic& elastic)
    : world_(world), scheduler_(scheduler), elastic_(elastic), streams_(world.plan.groups.size()) {
  for (std::uint32_t group = 0; group < streams_.size(); ++group) {
    const NodeGroup& nodes = world.plan.groups[group];
    for (std::uint32_t node = 0; node < nodes.nodes; ++node) {
      for (std::uint32_t fault = 0; fault < nodes.faults.size(); ++fault) {
        streams_[group].emplace_back(world.plan.seed,
                                     fmt::format("faults/{}/{}/{}", group, node, fault));
        schedule_next({Event::Kind::fault, 0, 0, group, node, fault});
      }
    }
  }
}

RandomStream& Faults::stream(const Event& event) {
  const std::size_t classes = world_.plan.groups[event.group].faults.size();
  return streams_[event.group][event.node * classes + event.fault];
}

const FaultClass& Faults::class_of(const Event& event) const {
  return world_.plan.groups[event.group].faults[event.fault];
}

void Faults::schedule_next(const Event& event) {
  const NodeGroup& group = world_.plan.groups[event.group];
  const FaultClass& fault = group.faults[event.fault];
  const double parts = fault.hits == Hits::gpu ? static_cast<double>(group.gpus_per_node) : 1;
  const Seconds gap = stream(event).exponential(1) * (fault.mean_between / parts);
  const SimTime time{world_.now.ns + to_sim_time(gap).ns};
  world_.agenda.schedule(time, engine::Phase::arrive, event);
}

void Faults::fault(const Event& event) {
  const FaultClass& fault = class_of(event);
  if (fault.hits == Hits::gpu) {
    hit_gpu(event);
  } else if (world_.machines.state(event.group, event.node) != NodeState::away) {
    fault.notice.ns > 0 ? announce(event) : strike(event);
  }
  schedule_next(event);
}

void Faults::hit_gpu(const Event& event) {
  const std::int64_t last = world_.plan.groups[event.group].gpus_per_node - 1;
  const std::uint64_t gpu = std::uint64_t{1} << stream(event).uniform_int(0, last);
  if (world_.machines.state(event.group, event.node) == NodeState::away) return;
  ++world_.record.groups[event.group].faults;
  const auto jobs = world_.machines.jobs_on(event.group, event.node);  // stop() changes the list
  for (const std::uint32_t job : jobs) {
    for (const Part& part : world_.jobs[job].stay->placement.parts) {
      if (part.node == event.node && (part.gpus & gpu) != 0) {
        stop(job, {});
        break;
      }
    }
  }
}

void Faults::announce(const Event& event) {
  if (world_.machines.state(event.group, event.node) == NodeState::draining) return;
  world_.machines.drain(event.group, event.node);
  scheduler_.capacity_changed();
  Event taken = event;
  taken.kind = Event::Kind::reclaim;
  taken.number = world_.machines.changes(event.group, event.node);
  world_.agenda.schedule({world_.now.ns + class_of(event).notice.ns}, engine::Phase::arrive, taken);
}

/// A node that failed after the notice is away or new by now.
void Faults::reclaim(const Event& event) {
  if (world_.machines.changes(event.group, event.node) == event.number) strike(event);
}

void Faults::strike(const Event& event) {
  const FaultClass& fault = class_of(event);
  ++world_.record.groups[event.group].faults;
  const auto jobs = world_.machines.jobs_on(event.group, event.node);  // stop() changes the list
  for (const std::uint32_t job : jobs) stop(job, fault.notice);
  if (fault.away.ns > 0) {
    const SimTime returns{world_.now.ns + fault.away.ns};
    world_.machines.take_away(event.group, event.node, returns);
    Event back = event;
    back.kind = Event::Kind::node_back;
    world_.agenda.schedule(returns, engine::Phase::release, back);
  } else if (world_.machines.state(event.group, event.node) == NodeState::draining) {
    world_.machines.bring_back(event.group, event.node);
  }
  scheduler_.capacity_changed();
}

void Faults::node_back(const Event& event) {
  world_.machines.bring_back(event.group, event.node);
  scheduler_.capacity_changed();
}

void Faults::stop(std::uint32_t job, SimTime notice) {
  LiveJob& live = world_.jobs[job];
  const auto& checkpoint = live.job.kind->checkpoint;
  const SimTime ran{world_.now.ns - live.stay->start.ns};
  const bool saves = checkpoint && notice.ns > 0 && checkpoint->write <= notice;
  const StaySpent spent = saves ? spent_until_saved(live.stay->terms, ran, checkpoint->write)
                                : spent_until_failure(live.stay->terms, ran);
  elastic_.forget(job);
  end_stay(world_, job, spent);
  scheduler_.capacity_changed();
  ++live.restarts;
  ++world_.record.restarts;
  if (live.restarts > world_.plan.max_restarts) {
    ++world_.record.given_up;
    leave(world_, job, Ending::given_up);
  } else {
    scheduler_.enqueue(job);
  }
}

}  // namespace gpucap::cluster
