#pragma once

#include "gpucap/units/sim_time.hpp"

#include <compare>
#include <cstdint>

namespace gpucap::cluster {

inline constexpr std::int64_t whole_gpu = 1000;  ///< thousandths of a GPU

/// Time on GPUs in thousandths of a GPU times nanoseconds: an exact integer of 128 bits, so that
/// what is held, used and lost adds up without a tolerance.
struct GpuTime {
  Ticks::Wide count = 0;

  static constexpr GpuTime of(std::int64_t thousandths, SimTime duration) {
    return {static_cast<Ticks::Wide>(thousandths) * duration.ns};
  }
  constexpr auto operator<=>(const GpuTime&) const = default;
  constexpr GpuTime operator+(GpuTime other) const { return {count + other.count}; }
  constexpr GpuTime operator-(GpuTime other) const { return {count - other.count}; }
  constexpr GpuTime& operator+=(GpuTime other) { return *this = *this + other; }
  /// For reports only.
  [[nodiscard]] constexpr double gpu_seconds() const { return static_cast<double>(count) * 1e-12; }
};

/// What jobs did with the GPUs that they held.
struct GpuUse {
  GpuTime useful;      ///< progress that was kept, stalls left out
  GpuTime stalled;     ///< waiting for data while making that progress
  GpuTime lost;        ///< worked since the last checkpoint before a failure
  GpuTime saving;      ///< writing checkpoints, finished or not
  GpuTime restarting;  ///< from getting GPUs again to the first new work

  [[nodiscard]] constexpr GpuTime held() const {
    return useful + stalled + lost + saving + restarting;
  }
  constexpr GpuUse& operator+=(const GpuUse& other) {
    useful += other.useful;
    stalled += other.stalled;
    lost += other.lost;
    saving += other.saving;
    restarting += other.restarting;
    return *this;
  }
  bool operator==(const GpuUse&) const = default;
};

}  // namespace gpucap::cluster
