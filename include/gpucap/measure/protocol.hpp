#pragma once

#include "gpucap/measure/samples.hpp"

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace gpucap::measure {

/// When to stop measuring one piece of work, and all of it.
struct Protocol {
  Seconds batch;          ///< a batch repeats the work until it lasts at least so long
  double spread = 0.005;  ///< enough: standard error of the mean over the mean
  int least_batches = 5;  ///< before the spread counts
  int most_batches = 60;
  Seconds each;  ///< no batch is begun later than this after the first of its work
  Seconds all;   ///< no work is begun later than this; what is left counts as not measured
  std::uint64_t seed = 7;  ///< of the operands
};

/// What is to be measured, in order of importance: when time runs out the rest is left out.
struct Planned {
  Work work;
  Cache cache = Cache::cold;
};

/// Measures one prepared piece of work. Batches during which the device was throttled are counted
/// and do not count; where all are, they do, and `discarded` says how many.
Sample measure_task(Device& device, Task& task, Cache cache, const Protocol& protocol);

/// Called after every piece of work: how many are done, of how many.
using OnProgress = std::function<void(std::size_t done, std::size_t all)>;

/// Measures the plan in every implementation. A result that deviates from its reference by more
/// than its tolerance is skipped, never sampled. Ends early, with what it has, when the time is
/// up, `stop` becomes true or the device fails.
Samples measure_plan(Device& device, const std::vector<Planned>& plan, const Protocol& protocol,
                     const std::atomic<bool>& stop, const OnProgress& on_progress);

}  // namespace gpucap::measure
