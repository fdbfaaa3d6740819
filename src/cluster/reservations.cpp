#include "reservations.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace gpucap::cluster {
namespace {

/// Lets the expected ends of jobs and returns of nodes happen on the map of a group, one by one in
/// order of time, and takes all of it back in the end. The map itself is used, since a copy of it
/// would cost more than the few ends that most jobs wait for.
class Preview {
 public:
  Preview(World& world, std::size_t group)
      : world_(world),
        group_(group),
        map_(world.machines.map(group)),
        end_(world.ending[group].begin()),
        back_(world.machines.returning(group).begin()) {}
  Preview(const Preview&) = delete;
  Preview& operator=(const Preview&) = delete;
  ~Preview() {
    for (auto job = ended_.rbegin(); job != ended_.rend(); ++job) map_.take(placement(*job));
    for (const std::uint32_t node : opened_) map_.close(node);
  }

  /// The next instant at which something happens; all of it then has happened.
  std::optional<SimTime> advance() {
    const auto& ending = world_.ending[group_];
    const auto& returning = world_.machines.returning(group_);
    if (end_ == ending.end() && back_ == returning.end()) return std::nullopt;
    SimTime time = end_ == ending.end() ? back_->first : end_->first;
    if (back_ != returning.end()) time = std::min(time, back_->first);
    // Jobs that have outrun their estimates end any time, all of them now.
    time = std::max(time, world_.now);
    for (; end_ != ending.end() && end_->first <= time; ++end_) {
      map_.give(placement(end_->second));
      ended_.push_back(end_->second);
    }
    for (; back_ != returning.end() && back_->first <= time; ++back_) {
      map_.open(back_->second);
      opened_.push_back(back_->second);
    }
    return time;
  }

 private:
  [[nodiscard]] const Placement& placement(std::uint32_t job) const {
    return world_.jobs[job].stay->placement;
  }

  World& world_;
  std::size_t group_;
  FreeMap& map_;
  std::set<std::pair<SimTime, std::uint32_t>>::const_iterator end_, back_;
  std::vector<std::uint32_t> ended_, opened_;
};

/// Reserves GPUs that are in use now before those that are free, which then may serve others for
/// any time. `unused`: those of each part's node at the start of the reservation.
void prefer_busy(Placement& placement, const std::vector<std::uint64_t>& unused,
                 const FreeMap& map) {
  if (placement.share < whole_gpu) return;
  for (std::size_t i = 0; i < placement.parts.size(); ++i) {
    Part& part = placement.parts[i];
    int missing = std::popcount(part.gpus);
    const std::uint64_t busy = unused[i] & ~map.unused(part.node);
    part.gpus = 0;
    for (std::uint64_t from : {busy, unused[i] & ~busy}) {
      for (; missing > 0 && from != 0; --missing, from &= from - 1) part.gpus |= from & -from;
    }
  }
}

}  // namespace

void Reservations::begin_pass() {
  for (std::size_t group = 0; held_ != 0; ++group, held_ >>= 1) {
    if ((held_ & 1) == 0) continue;
    world_.machines.map(group).offer_reserved(true);
    world_.machines.map(group).drop_reservation();
  }
}

void Reservations::forget() {
  for (Reservation& reservation : groups_) reservation.owner.reset();
}

bool Reservations::reserve(const Demand& demand, Rank owner) {
  if (reserve_again(owner)) return true;
  std::optional<Reservation> best;
  std::size_t where = 0;
  for (const std::size_t group : demand.groups) {
    auto found = earliest(group, demand.thousandths);
    if (!found || (best && best->start <= found->start)) continue;
    best = std::move(found);
    where = group;
  }
  if (!best) return false;
  best->owner = owner;
  groups_[where] = std::move(*best);
  hold(where);
  return true;
}

/// A start that has come to nothing, since a job outran its estimate, must be looked for anew.
bool Reservations::reserve_again(Rank owner) {
  const auto own = std::ranges::find(groups_, std::optional(owner), &Reservation::owner);
  if (own == groups_.end() || own->start <= world_.now) return false;
  hold(static_cast<std::size_t>(own - groups_.begin()));
  return true;
}

void Reservations::hold(std::size_t group) {
  FreeMap& map = world_.machines.map(group);
  map.reserve(groups_[group].placement);
  map.offer_reserved(false);
  held_ |= std::uint64_t{1} << group;
}

std::optional<Reservations::Reservation> Reservations::earliest(std::size_t group,
                                                                std::int64_t thousandths) {
  FreeMap& map = world_.machines.map(group);
  Reservation found;
  std::vector<std::uint64_t> unused;
  {
    Preview preview(world_, group);
    while (!map.fits(thousandths)) {
      const auto time = preview.advance();
      if (!time) return std::nullopt;
      found.start = *time;
    }
    found.placement = map.place(thousandths, world_.plan.policy.packing);
    for (const Part& part : found.placement.parts) unused.push_back(map.unused(part.node));
  }
  prefer_busy(found.placement, unused, map);
  return found;
}

}  // namespace gpucap::cluster
