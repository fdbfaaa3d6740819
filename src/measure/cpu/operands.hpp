#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "task.hpp"

namespace gpucap::measure::cpu {

using Numbers = std::vector<float>;
inline constexpr double number_bytes = sizeof(float);

inline std::size_t size(std::int64_t count) {
  return static_cast<std::size_t>(count);
}

/// As many sets of operands as a cold run needs, each made by `make()`.
template <class Make>
auto sets_of(double bytes, double cache_bytes, Make make) {
  const auto copies = static_cast<std::size_t>(copies_for(bytes, cache_bytes));
  return std::make_shared<std::vector<decltype(make())>>(copies, make());
}

/// A task over sets of operands.
template <class Sets, class Execute, class Judge>
std::unique_ptr<Task> task_of(Sets sets, Execute execute, Judge judge) {
  CpuTask::Work work;
  work.copies = static_cast<int>(sets->size());
  work.execute = [sets, execute](int copy) { execute((*sets)[static_cast<std::size_t>(copy)]); };
  work.deviation = [sets, execute, judge] {
    auto& set = sets->front();
    execute(set);
    return judge(set);
  };
  return std::make_unique<CpuTask>(std::move(work));
}

// The tasks of one kind of work each. Throw Unavailable for sizes that the kernels do not take.
struct Setup {
  int threads;
  double cache;  ///< bytes of the last level
  std::uint64_t seed;
};
std::unique_ptr<Task> make(const Setup& setup, const Stream& work);
std::unique_ptr<Task> make(const Setup& setup, const Product& work);
std::unique_ptr<Task> make(const Setup& setup, const Attention& work);
std::unique_ptr<Task> make(const Setup& setup, const Pass& work);
std::unique_ptr<Task> make(const Setup& setup, const Launch& work);

}  // namespace gpucap::measure::cpu
