#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "elastic.hpp"
#include "reservations.hpp"
#include "world.hpp"

namespace gpucap::cluster {

/// The queue, and who leaves it when.
///
/// Jobs are looked at in order of rank. One that does not fit keeps the jobs behind it off all
/// groups that it could use; with backfill it only reserves what it will get, and jobs behind it
/// start where they do not delay it. Jobs of one demand fit or do not fit together, so the queue is
/// a tree for each demand and a pass costs per demand, not per job.
class Scheduler {
 public:
  Scheduler(World& world, Elastic& elastic)
      : world_(world), elastic_(elastic), reservations_(world) {}

  void enqueue(std::uint32_t job);
  /// Something ended, came or went since the last pass.
  void capacity_changed() { reservations_.forget(); }
  /// Starts every job that may start now.
  void pass();
  [[nodiscard]] std::int64_t waiting() const { return waiting_; }

 private:
  using Waiting = WaitTree::Waiting;
  /// Where a demand stands in a pass.
  struct Turn {
    std::optional<Waiting> next;  ///< its first job that has not been looked at and may start
    bool behind = false;          ///< one of its jobs waits: the others must not be in its way
  };

  [[nodiscard]] std::optional<std::size_t> first_turn() const;
  void take_turn(std::size_t demand);
  [[nodiscard]] std::optional<Waiting> after(std::size_t demand, Rank rank);

  [[nodiscard]] bool try_start(std::size_t demand, std::uint32_t job);
  [[nodiscard]] bool try_group(std::size_t group, std::uint32_t job, const Demand& demand);
  [[nodiscard]] bool ends_in_time(std::size_t group, std::uint32_t job) const;
  [[nodiscard]] bool fits_behind(std::size_t group, std::int64_t thousandths);
  [[nodiscard]] bool start_as_first(std::size_t demand, std::uint32_t job);
  void wait(std::size_t demand, Rank rank);
  void start(std::uint32_t job, std::size_t group, Placement placement, std::int64_t thousandths);

  World& world_;
  Elastic& elastic_;
  Reservations reservations_;
  std::vector<Turn> turns_;    ///< by demand
  std::uint64_t blocked_ = 0;  ///< groups that jobs further back may not use in this pass
  std::int64_t waiting_ = 0;
};

}  // namespace gpucap::cluster
