#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "world.hpp"

namespace gpucap::cluster {

/// GPUs that will be free for a job that has to wait, at most one such job per group.
///
/// During a pass reservations hold from the moment at which their owner turned out to wait; jobs in
/// front of it do not see them.
class Reservations {
 public:
  explicit Reservations(World& world) : world_(world), groups_(world.plan.groups.size()) {}

  void begin_pass();
  /// Something ended, came or went: what was found is no longer known to be right.
  void forget();

  [[nodiscard]] std::uint64_t held() const { return held_; }  ///< groups that have one now
  [[nodiscard]] bool holds(std::size_t group) const { return (held_ >> group & 1) != 0; }
  /// When the owner is expected to start there.
  [[nodiscard]] SimTime start(std::size_t group) const { return groups_[group].start; }

  /// Reserves what a job will get first; false when nobody can tell when that will be.
  bool reserve(const Demand& demand, Rank owner);

 private:
  struct Reservation {
    std::optional<Rank> owner;
    SimTime start;
    Placement placement;
  };
  bool reserve_again(Rank owner);
  void hold(std::size_t group);
  [[nodiscard]] std::optional<Reservation> earliest(std::size_t group, std::int64_t thousandths);

  World& world_;
  std::vector<Reservation> groups_;
  std::uint64_t held_ = 0;
};

}  // namespace gpucap::cluster
