#pragma once

#include "gpucap/perf/step_cost.hpp"

#include <cstdint>
#include <limits>

namespace gpucap::perf {

/// A row of decode-only steps of the same sequences, in closed form. Every step reads one KV token
/// more per sequence than the one before, so durations grow by a constant number of ticks, and
/// because cost coefficients are integers, i steps at once take exactly what i single steps take.
/// Steps are counted from 0. All times are exact and fit 64 bits within `steps()`.
class DecodeRun {
 public:
  /// How the batch of the first step goes on.
  struct Growth {
    std::int64_t window_sequences = 0;  ///< whose context is still within the sliding window
    bool max_window = false;            ///< the longest of them included
    /// Steps after the first for which the two hold.
    std::int64_t steps = std::numeric_limits<std::int64_t>::max();
  };
  DecodeRun(const StepCost::Decode& cost, const Batch& first, const Growth& growth);

  /// Steps for which the form holds: until the GPU overtakes the host, a window fills up, or
  /// time needs more bits.
  [[nodiscard]] std::int64_t steps() const { return steps_; }
  [[nodiscard]] std::int64_t sequences() const { return first_.decodes; }
  [[nodiscard]] Ticks duration(std::int64_t i) const { return {first_ticks_ + growth_ticks_ * i}; }
  [[nodiscard]] Ticks growth() const { return {growth_ticks_}; }
  /// Time from the start of the row to the start of step i.
  [[nodiscard]] Ticks until(std::int64_t i) const { return {ticks_until(i)}; }
  [[nodiscard]] std::int64_t ticks_until(std::int64_t i) const {
    return first_ticks_ * i + growth_ticks_ * (i * (i - 1) / 2);
  }
  /// Sum of until(i) over steps of which the sums of i and of i squared are known.
  [[nodiscard]] Ticks sum_until(std::int64_t steps, std::int64_t squares) const {
    return {Ticks::Wide{first_ticks_} * steps +
            Ticks::Wide{growth_ticks_} * ((squares - steps) / 2)};
  }
  /// The first step that starts `elapsed` or more after the start of the row; at most steps().
  [[nodiscard]] std::int64_t first_at(Ticks elapsed) const;
  /// Adds what steps first .. first + count - 1 read; how they are priced depends on host_bound().
  void add_to(DecodeSums& sums, std::int64_t first, std::int64_t count) const;
  [[nodiscard]] bool host_bound() const { return host_bound_; }

 private:
  Batch first_;
  Growth growth_;
  bool host_bound_;
  std::int64_t first_ticks_ = 0, growth_ticks_ = 0;
  std::int64_t steps_ = std::numeric_limits<std::int64_t>::max();
};

}  // namespace gpucap::perf
