#include "scheduler.hpp"

#include <utility>

#include "stays.hpp"

namespace gpucap::cluster {
namespace {

Rank rank_of(const LiveJob& live, Order order) {
  switch (order) {
    case Order::arrival:
      return {0, live.rank.arrival};
    case Order::shortest:
      return {live.estimate_left.ns, live.rank.arrival};
    case Order::priority:
      return {-live.job.priority, live.rank.arrival};
  }
  return live.rank;
}

}  // namespace

void Scheduler::enqueue(std::uint32_t job) {
  LiveJob& live = world_.jobs[job];
  live.rank = rank_of(live, world_.plan.policy.order);
  live.queued_since = world_.now;
  world_.demands[live.demand].waiting.insert({live.rank, live.estimate_left.ns, job});
  ++waiting_;
}

void Scheduler::pass() {
  reservations_.begin_pass();
  blocked_ = 0;
  if (waiting_ == 0) return;
  turns_.assign(world_.demands.size(), {});
  for (std::size_t demand = 0; demand < turns_.size(); ++demand) {
    const WaitTree& tree = world_.demands[demand].waiting;
    if (!tree.empty()) turns_[demand].next = tree.first();
  }
  while (const auto demand = first_turn()) take_turn(*demand);
}

std::optional<std::size_t> Scheduler::first_turn() const {
  std::optional<std::size_t> first;
  for (std::size_t demand = 0; demand < turns_.size(); ++demand) {
    const auto& next = turns_[demand].next;
    if (next && (!first || next->rank < turns_[*first].next->rank)) first = demand;
  }
  return first;
}

void Scheduler::take_turn(std::size_t demand) {
  Turn& turn = turns_[demand];
  const Waiting one = *turn.next;
  if (!try_start(demand, one.job)) {
    const std::uint64_t taken = blocked_ | reservations_.held();
    const bool first = (world_.demands[demand].group_bits & taken) == 0;
    if (!first || !start_as_first(demand, one.job)) {
      if (first) wait(demand, one.rank);
      turn.behind = true;
    }
  }
  turn.next = after(demand, one.rank);
}

/// Jobs that do not fit anywhere are passed over without a look at each.
std::optional<Scheduler::Waiting> Scheduler::after(std::size_t demand, Rank rank) {
  const Demand& one = world_.demands[demand];
  const auto any = [](std::int64_t) { return true; };
  if (!turns_[demand].behind) return one.waiting.next(rank, any);
  std::uint64_t in_time = 0;
  for (const std::size_t group : one.groups) {
    if ((blocked_ >> group & 1) != 0) continue;
    FreeMap& map = world_.machines.map(group);
    if (map.fits(one.thousandths)) return one.waiting.next(rank, any);
    if (reservations_.holds(group) && fits_behind(group, one.thousandths)) {
      in_time |= std::uint64_t{1} << group;
    }
  }
  if (in_time == 0) return std::nullopt;
  return one.waiting.next(rank, [&](std::int64_t estimate) {
    for (const std::size_t group : one.groups) {
      if ((in_time >> group & 1) == 0) continue;
      const SimTime end{world_.now.ns + one.run_time(group, {estimate}).ns};
      if (end <= reservations_.start(group)) return true;
    }
    return false;
  });
}

/// On GPUs of which some are reserved for later.
bool Scheduler::fits_behind(std::size_t group, std::int64_t thousandths) {
  FreeMap& map = world_.machines.map(group);
  map.offer_reserved(true);
  const bool fits = map.fits(thousandths);
  map.offer_reserved(false);
  return fits;
}

bool Scheduler::try_start(std::size_t demand, std::uint32_t job) {
  const Demand& one = world_.demands[demand];
  for (const std::size_t group : one.groups) {
    if ((blocked_ >> group & 1) == 0 && try_group(group, job, one)) return true;
  }
  return false;
}

bool Scheduler::try_group(std::size_t group, std::uint32_t job, const Demand& demand) {
  FreeMap& map = world_.machines.map(group);
  const bool reserved = reservations_.holds(group);
  const bool short_enough = reserved && ends_in_time(group, job);
  if (short_enough) map.offer_reserved(true);
  const bool fits = map.fits(demand.thousandths);
  Placement placement;
  if (fits) placement = map.place(demand.thousandths, world_.plan.policy.packing);
  if (short_enough) map.offer_reserved(false);
  if (!fits) return false;
  start(job, group, std::move(placement), demand.thousandths);
  return true;
}

bool Scheduler::ends_in_time(std::size_t group, std::uint32_t job) const {
  const LiveJob& live = world_.jobs[job];
  const Demand& demand = world_.demands[live.demand];
  const SimTime restart = live.first_start ? demand.kind->restart : SimTime{};
  const SimTime run = demand.run_time(group, live.estimate_left);
  return SimTime{world_.now.ns + restart.ns + run.ns} <= reservations_.start(group);
}

/// The first job that does not fit may take back what running ones have grown by, and shrink.
bool Scheduler::start_as_first(std::size_t demand, std::uint32_t job) {
  const Demand& one = world_.demands[demand];
  while (elastic_.give_back(one.group_bits)) {
    reservations_.forget();
    if (try_start(demand, job)) return true;
  }
  const auto smaller = elastic_.shrunk(one);
  if (!smaller) return false;
  start(job, smaller->group, smaller->placement, smaller->thousandths);
  return true;
}

void Scheduler::wait(std::size_t demand, Rank rank) {
  const Demand& one = world_.demands[demand];
  const bool backfill = world_.plan.policy.backfill == Backfill::easy;
  if (!backfill || !reservations_.reserve(one, rank)) blocked_ |= one.group_bits;
}

void Scheduler::start(std::uint32_t job, std::size_t group, Placement placement,
                      std::int64_t thousandths) {
  LiveJob& live = world_.jobs[job];
  world_.demands[live.demand].waiting.erase(live.rank);
  if (live.first_start) live.waited_again.ns += world_.now.ns - live.queued_since.ns;
  --waiting_;
  begin_stay(world_, job, group, std::move(placement), thousandths);
  elastic_.note(job);
}

}  // namespace gpucap::cluster
