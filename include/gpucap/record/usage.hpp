#pragma once

#include "gpucap/perf/cause.hpp"
#include "gpucap/perf/step_cost.hpp"
#include "gpucap/units/sim_time.hpp"

#include <array>
#include <cstdint>
#include <vector>

namespace gpucap::record {

using perf::Cause;
using perf::cause_count;

/// What a replica does: nothing, steps with decodes only, steps that hold prompt tokens.
enum class State : std::uint8_t { idle, decode, prefill };
inline constexpr std::size_t state_count = 3;

/// Integrals of work, per rank; all exact integers, so sums do not depend on order. Beside the
/// causes of its steps, `by_cause` holds the time in which the head of a queue waited.
struct Usage : perf::StepWork {
  std::int64_t steps = 0;
  std::int64_t prompt_tokens = 0;  ///< computed, recomputation after preemption included
  std::int64_t output_tokens = 0;

  Usage& operator+=(const Usage& other);
  Usage& operator+=(const perf::StepWork& work);
};

/// Usage of one replica by time bucket. The bucket width doubles whenever the run outgrows the
/// number of buckets, so a timeline has a bounded size whatever the length of the run; sums are the
/// same before and after. What is added belongs whole to the bucket in which it starts, which is at
/// or after the start of the run.
class Timeline {
 public:
  static constexpr std::size_t default_buckets = 512;

  struct Bucket {
    std::array<Usage, state_count> by_state{};
    Ticks kv_tokens_time;  ///< integral of KV tokens in use over time, in token ticks
    Ticks running_time;    ///< integral of running requests
    Ticks waiting_time;    ///< integral of waiting requests

    /// Time with so many requests running and waiting.
    void add_requests(Ticks time, std::int64_t running, std::int64_t waiting) {
      running_time += time * running;
      waiting_time += time * waiting;
    }
    [[nodiscard]] Usage& of(State state) { return by_state[static_cast<std::size_t>(state)]; }
  };
  /// A bucket to add to, valid until the next one is asked for.
  struct Slot {
    Bucket& bucket;
    SimTime end;  ///< the first instant after it
  };

  explicit Timeline(std::size_t max_buckets = default_buckets) : max_buckets_(max_buckets) {}

  /// The bucket of what starts at this instant.
  Slot at(SimTime start) {
    if (start < begin_ || start >= end_) move_to(start);
    return {buckets_[index_], end_};
  }
  [[nodiscard]] SimTime bucket_width() const { return width_; }
  [[nodiscard]] const std::vector<Bucket>& buckets() const { return buckets_; }
  [[nodiscard]] Usage total(State state) const;

 private:
  void move_to(SimTime start);

  std::size_t max_buckets_;
  SimTime width_{1'000'000'000};
  std::vector<Bucket> buckets_;
  // The bucket that was asked for last: the next one asked for is nearly always the same.
  std::size_t index_ = 0;
  SimTime begin_{0}, end_{0};
};

}  // namespace gpucap::record
