#pragma once

#include "gpucap/measure/device.hpp"

#include <functional>

#include "operands.hpp"

namespace gpucap::measure::cuda {

/// What tells one kernel task from another.
struct KernelWork {
  std::function<void(const OperandSet&, cudaStream_t)> launch;  ///< one execution
  std::function<double(const OperandSet&)> error;               ///< of the result in this set
  double tolerance = 0;
};

/// Kernels on one stream, timed by events around `repeats` executions in a row. Cold executions go
/// round the sets; flushing the L2 in between would let each execution start on an idle card, and
/// time it with its launch.
class KernelTask : public Task {
 public:
  KernelTask(const Card& card, OperandSets sets, KernelWork work);
  Seconds run(Cache cache, int repeats) override;
  double error() override;
  [[nodiscard]] double tolerance() const override { return work_.tolerance; }

 private:
  int card_;
  OperandSets sets_;
  KernelWork work_;
  StreamOwner stream_;
  EventOwner start_, stop_;
  std::int64_t next_ = 0, last_ = 0;  ///< set of the next cold execution and of the last one
  bool ran_ = false;
};

/// Time between two recorded events, the second of which is waited for.
Seconds time_between(const EventOwner& start, const EventOwner& stop);

}  // namespace gpucap::measure::cuda
