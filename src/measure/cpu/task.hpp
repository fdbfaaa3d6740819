#pragma once

#include "gpucap/measure/device.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

namespace gpucap::measure::cpu {

/// Operands of one kernel in several copies, so that a cold run finds none of them in the cache.
class CpuTask : public Task {
 public:
  /// `execute(copy)` works on one of `copies` sets of operands; `deviation()` judges the result of
  /// copy 0 and may run long.
  struct Work {
    int copies = 1;
    std::function<void(int copy)> execute;
    std::function<double()> deviation;
  };
  explicit CpuTask(Work work) : work_(std::move(work)) {}

  Seconds run(Cache cache, int repeats) override;
  double error() override;
  /// Sums of up to some ten thousand products in FP32, in another order than the reference.
  [[nodiscard]] double tolerance() const override { return 1e-4; }

 private:
  Work work_;
  int next_ = 0;
};

/// How often operands of `bytes` are copied to outgrow a cache.
int copies_for(double bytes, double cache_bytes);

/// Numbers of mean 0 and variance 1.
std::vector<float> random_numbers(std::int64_t count, std::uint64_t seed, const char* name);

/// Operands in place. Throws Unavailable for work that a processor does not do.
std::unique_ptr<Task> make_task(const measure::Work& work, int threads, double cache_bytes,
                                std::uint64_t seed);

}  // namespace gpucap::measure::cpu
