#include "elastic.hpp"

#include <ranges>

#include "stays.hpp"

namespace gpucap::cluster {
namespace {

/// Whether the table has the job's own number of GPUs: without it nothing can be compared.
bool knows_own(const Demand& demand) {
  const auto own = [&](const auto& point) { return point.gpus * whole_gpu == demand.thousandths; };
  return demand.elastic() && std::ranges::any_of(*demand.kind->scaling, own);
}

}  // namespace

std::optional<Elastic::Smaller> Elastic::shrunk(const Demand& demand) {
  if (world_.plan.policy.elasticity == Elasticity::none || !knows_own(demand)) return std::nullopt;
  for (const auto& point : *demand.kind->scaling | std::views::reverse) {
    const std::int64_t size = point.gpus * whole_gpu;
    if (size >= demand.thousandths) continue;
    for (const std::size_t group : demand.groups) {
      const FreeMap& map = world_.machines.map(group);
      if (map.fits(size)) return Smaller{group, size, map.place(size, world_.plan.policy.packing)};
    }
  }
  return std::nullopt;
}

void Elastic::note(std::uint32_t job) {
  const LiveJob& live = world_.jobs[job];
  if (world_.plan.policy.elasticity != Elasticity::resize) return;
  if (knows_own(world_.demands[live.demand])) running_.emplace(live.rank.arrival, job);
}

void Elastic::forget(std::uint32_t job) {
  const std::uint64_t arrival = world_.jobs[job].rank.arrival;
  running_.erase({arrival, job});
  grown_.erase({arrival, job});
}

SimTime Elastic::pause(const LiveJob& live) const {
  const JobKind& kind = *live.job.kind;
  return {kind.checkpoint->write.ns + kind.restart.ns};
}

SimTime Elastic::time_left(const LiveJob& live) const {
  return {live.stay->start.ns + length(live.stay->terms).ns - world_.now.ns};
}

bool Elastic::give_back(std::uint64_t group_bits) {
  for (const auto& [arrival, job] : grown_ | std::views::reverse) {
    const LiveJob& live = world_.jobs[job];
    const std::int64_t own = world_.demands[live.demand].thousandths;
    if ((group_bits >> live.stay->group & 1) == 0 || time_left(live) <= pause(live)) continue;
    if (!could_move(live, own)) continue;
    resize(std::uint32_t{job}, own);
    return true;
  }
  return false;
}

void Elastic::grow() {
  if (world_.plan.policy.elasticity != Elasticity::resize) return;
  for (const auto& [arrival, job] : running_) {
    const LiveJob& live = world_.jobs[job];
    if (world_.machines.map(live.stay->group).fits(whole_gpu) && grow_one(job)) note_grown(job);
  }
}

/// Whether its group has room for it once its own GPUs are free; a node about to be reclaimed has
/// none.
bool Elastic::could_move(const LiveJob& live, std::int64_t thousandths) {
  FreeMap& map = world_.machines.map(live.stay->group);
  map.give(live.stay->placement);
  const bool fits = map.fits(thousandths);
  map.take(live.stay->placement);
  return fits;
}

bool Elastic::grow_one(std::uint32_t job) {
  const LiveJob& live = world_.jobs[job];
  const Demand& demand = world_.demands[live.demand];
  for (const auto& point : *demand.kind->scaling | std::views::reverse) {
    const std::int64_t size = point.gpus * whole_gpu;
    if (size <= live.stay->thousandths) return false;
    if (!worth_growing(live, size) || !could_move(live, size)) continue;
    resize(job, size);
    return true;
  }
  return false;
}

/// Whether the job ends earlier for it, by its estimate, though it has to stop and restart.
bool Elastic::worth_growing(const LiveJob& live, std::int64_t thousandths) const {
  const Stay& stay = *live.stay;
  const SimTime ran{world_.now.ns - stay.start.ns};
  if (ran.ns < stay.terms.save_first.ns + stay.terms.restart.ns) return false;
  const Demand& demand = world_.demands[live.demand];
  StayTerms grown = terms_of(*demand.kind, world_.plan.groups[stay.group], stay.group,
                             demand.thousandths, thousandths);
  const SimTime done = spent_until_saved(stay.terms, ran, {}).done;
  grown.work.ns = std::max<std::int64_t>(0, live.estimate_left.ns - done.ns);
  return SimTime{world_.now.ns + pause(live).ns + length(grown).ns} < stay.expected_end;
}

void Elastic::resize(std::uint32_t job, std::int64_t thousandths) {
  LiveJob& live = world_.jobs[job];
  const std::size_t group = live.stay->group;
  const SimTime ran{world_.now.ns - live.stay->start.ns};
  end_stay(world_, job, spent_until_saved(live.stay->terms, ran, {}));
  Placement place = world_.machines.map(group).place(thousandths, world_.plan.policy.packing);
  begin_stay(world_, job, group, std::move(place), thousandths, live.job.kind->checkpoint->write);
  ++live.resizes;
  ++world_.record.resizes;
  if (thousandths <= world_.demands[live.demand].thousandths) {
    grown_.erase({live.rank.arrival, job});
  }
}

void Elastic::note_grown(std::uint32_t job) {
  const LiveJob& live = world_.jobs[job];
  if (live.stay->thousandths > world_.demands[live.demand].thousandths) {
    grown_.emplace(live.rank.arrival, job);
  }
}

}  // namespace gpucap::cluster
