#pragma once

#include "gpucap/perf/cause.hpp"
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

/// Integrals of work; all exact integers, so sums do not depend on order.
struct Usage {
  using Wide = Ticks::Wide;
  Ticks time;
  Wide flops = 0;       ///< per rank
  Wide bytes = 0;       ///< read and written in device memory, per rank
  Wide link_bytes = 0;  ///< sent over the node's links, per rank
  std::int64_t steps = 0;
  std::int64_t prompt_tokens = 0;  ///< computed, recomputation after preemption included
  std::int64_t output_tokens = 0;
  std::array<Ticks, cause_count> by_cause{};

  Usage& operator+=(const Usage& other);
};

/// Usage of one replica by time bucket. The bucket width doubles whenever the run outgrows
/// `max_buckets`, so a timeline has a bounded size whatever the length of the run; sums are the
/// same before and after. What is added belongs whole to the bucket in which it starts, which is at
/// or after the start of the run.
class Timeline {
 public:
  static constexpr std::size_t max_buckets = 512;

  struct Bucket {
    std::array<Usage, state_count> by_state{};
    Ticks kv_tokens_time;  ///< integral of KV tokens in use over time, in token ticks
    Ticks running_time;    ///< integral of running requests
    Ticks waiting_time;    ///< integral of waiting requests
  };

  void add(SimTime start, State state, const Usage& usage);
  void add_levels(SimTime start, Ticks duration, std::int64_t kv_tokens, std::int64_t running,
                  std::int64_t waiting);
  [[nodiscard]] SimTime bucket_width() const { return width_; }
  [[nodiscard]] const std::vector<Bucket>& buckets() const { return buckets_; }
  [[nodiscard]] Usage total(State state) const;

 private:
  Bucket& bucket_at(SimTime start);
  SimTime width_{1'000'000'000};
  std::vector<Bucket> buckets_;
};

}  // namespace gpucap::record
