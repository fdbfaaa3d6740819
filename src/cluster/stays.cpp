#include "stays.hpp"

#include <algorithm>
#include <utility>

namespace gpucap::cluster {
namespace {

GpuUse use_of(const StaySpent& spent, std::int64_t thousandths) {
  return {GpuTime::of(thousandths, spent.useful), GpuTime::of(thousandths, spent.stalled),
          GpuTime::of(thousandths, spent.lost), GpuTime::of(thousandths, spent.saving),
          GpuTime::of(thousandths, spent.restarting)};
}

StayTerms terms_now(const World& world, const LiveJob& live, std::size_t group,
                    std::int64_t thousandths, SimTime save_first) {
  const Demand& demand = world.demands[live.demand];
  StayTerms terms = thousandths == demand.thousandths
                        ? demand.terms[group]
                        : terms_of(*demand.kind, world.plan.groups[group], group,
                                   demand.thousandths, thousandths);
  terms.work = live.work_left;
  terms.save_first = save_first;
  if (live.first_start) terms.restart = demand.kind->restart;
  return terms;
}

void note_start(World& world, LiveJob& live) {
  if (live.first_start) return;
  live.first_start = world.now;
  world.tell([&](Sink& sink) { sink.started(live.job, world.now); });
}

}  // namespace

void begin_stay(World& world, std::uint32_t job, std::size_t group, Placement placement,
                std::int64_t thousandths, SimTime save_first) {
  LiveJob& live = world.jobs[job];
  Stay stay{group, std::move(placement), thousandths, {}, world.now, {}};
  stay.terms = terms_now(world, live, group, thousandths, save_first);
  StayTerms expected = stay.terms;
  expected.work = live.estimate_left;
  stay.expected_end = {world.now.ns + length(expected).ns};
  world.machines.take(group, stay.placement, job);
  if (world.plan.policy.backfill == Backfill::easy) {
    world.ending[group].emplace(stay.expected_end, job);
  }
  const SimTime end{world.now.ns + length(stay.terms).ns};
  ++live.stay_number;
  world.agenda.schedule(end, engine::Phase::release,
                        {Event::Kind::end, live.stay_number, job, 0, 0, 0});
  note_start(world, live);
  live.stay = std::move(stay);
}

void end_stay(World& world, std::uint32_t job, const StaySpent& spent) {
  LiveJob& live = world.jobs[job];
  const Stay stay = std::move(*live.stay);
  live.stay.reset();
  ++live.stay_number;
  world.machines.give(stay.group, stay.placement, job);
  if (world.plan.policy.backfill == Backfill::easy) {
    world.ending[stay.group].erase({stay.expected_end, job});
  }
  const GpuUse use = use_of(spent, stay.thousandths);
  live.use += use;
  world.record.groups[stay.group].use += use;
  live.work_left.ns -= spent.done.ns;
  live.estimate_left.ns = std::max<std::int64_t>(0, live.estimate_left.ns - spent.done.ns);
  live.last_group = stay.group;
  live.last_nodes = stay.placement.parts.size();
  const StayRow row{live.job,  stay.group, stay.thousandths, live.last_nodes, stay.start,
                    world.now, use};
  world.tell([&](Sink& sink) { sink.stayed(row); });
}

void leave(World& world, std::uint32_t job, Ending ending) {
  const LiveJob& live = world.jobs[job];
  const JobRow row{live.job,          ending,        live.first_start, world.now,
                   live.waited_again, live.restarts, live.resizes,     live.last_group,
                   live.last_nodes,   live.cut,      live.use};
  world.tell([&](Sink& sink) { sink.ended(row); });
  world.jobs.remove(job);
}

}  // namespace gpucap::cluster
