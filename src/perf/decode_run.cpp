#include "gpucap/perf/decode_run.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace gpucap::perf {
namespace {

using Wide = StepWork::Wide;

// A row ends before its time needs more than 61 bits (26 days). So many steps are more than a row
// ever has, and sums of their tokens fit 64 bits.
constexpr std::int64_t longest_row = std::int64_t{1} << 61;
constexpr std::int64_t most_steps = std::int64_t{1} << 16;

std::int64_t narrow(Wide value) {
  if (value < 0 || value > longest_row) throw std::out_of_range("a decode step of many days");
  return static_cast<std::int64_t>(value);
}

/// Makes a product of two 64-bit numbers one of 128 bits.
constexpr Wide wide(std::int64_t value) {
  return value;
}

/// A count of steps whose times sum to no more than the longest row.
std::int64_t steps_that_fit(std::int64_t first, std::int64_t growth) {
  // As in nearly every row: both parts of the sum stay below half of the longest.
  constexpr std::int64_t short_first = longest_row / 2 / most_steps;
  constexpr std::int64_t short_growth = longest_row / most_steps / most_steps;
  if (first <= short_first && growth <= short_growth) return most_steps;
  std::int64_t steps = most_steps;
  while (steps > 1 &&
         wide(first) * steps + wide(growth) * (steps * (steps - 1) / 2) > longest_row) {
    steps /= 2;
  }
  return steps;
}

}  // namespace

DecodeRun::DecodeRun(const StepCost::Decode& cost, const Batch& first, const Growth& growth)
    : first_(first), growth_(growth) {
  const std::int64_t attention = narrow(
      wide(cost.per_sum) * first.sum_context + wide(cost.per_max) * first.max_context +
      wide(cost.per_sum_window) * first.sum_window + wide(cost.per_max_window) * first.max_window);
  const std::int64_t per_step = narrow(wide(cost.per_sum) * first.decodes + cost.per_max +
                                       wide(cost.per_sum_window) * growth.window_sequences +
                                       (growth.max_window ? cost.per_max_window : 0));
  const std::int64_t gpu = cost.fixed_time + attention;
  host_bound_ = gpu < cost.floor;
  first_ticks_ = narrow((host_bound_ ? cost.floor : gpu) + wide(cost.gap));
  growth_ticks_ = host_bound_ ? 0 : per_step;
  steps_ = steps_that_fit(first_ticks_, growth_ticks_);
  if (growth.steps < steps_) steps_ = growth.steps + 1;
  // Step i is below the floor while gpu + i per_step < floor.
  if (host_bound_ && per_step > 0) {
    steps_ = std::min(steps_, (cost.floor - gpu + per_step - 1) / per_step);
  }
}

std::int64_t DecodeRun::first_at(Ticks elapsed) const {
  if (elapsed.count <= 0) return 0;
  if (until(steps_) < elapsed) return steps_;
  const auto target = static_cast<std::int64_t>(elapsed.count);
  std::int64_t i = 0;
  if (growth_ticks_ == 0) {
    i = target / first_ticks_;
  } else {
    // Near enough by reals; the integers below settle it.
    const auto b = static_cast<double>(growth_ticks_);
    const double a = static_cast<double>(first_ticks_) - b / 2;
    const double root = std::sqrt(a * a + 2 * b * static_cast<double>(target));
    i = static_cast<std::int64_t>(2 * static_cast<double>(target) / (a + root));
  }
  i = std::clamp<std::int64_t>(i, 0, steps_);
  while (i > 0 && until(i - 1).count >= target) --i;
  while (i < steps_ && until(i).count < target) ++i;
  return i;
}

void DecodeRun::add_to(DecodeSums& sums, std::int64_t first, std::int64_t count) const {
  // first + (first + 1) + ... of `count` terms
  const std::int64_t rise = count * (2 * first + count - 1) / 2;
  sums.steps += count;
  sums.context += first_.sum_context * count + first_.decodes * rise;
  sums.longest_context += first_.max_context * count + rise;
  sums.window += first_.sum_window * count + growth_.window_sequences * rise;
  sums.longest_window += first_.max_window * count + (growth_.max_window ? rise : 0);
}

}  // namespace gpucap::perf
