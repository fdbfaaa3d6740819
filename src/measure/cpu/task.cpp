#include "task.hpp"

#include "gpucap/core/random.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

namespace gpucap::measure::cpu {

Seconds CpuTask::run(Cache cache, int repeats) {
  using Clock = std::chrono::steady_clock;
  const auto begin = Clock::now();
  for (int i = 0; i < repeats; ++i) {
    if (cache == Cache::cold) next_ = (next_ + 1) % work_.copies;
    work_.execute(next_);
  }
  const std::chrono::duration<double> elapsed = Clock::now() - begin;
  return elapsed.count() / repeats * unit::s;
}

double CpuTask::error() {
  return work_.deviation ? work_.deviation() : 0;
}

int copies_for(double bytes, double cache_bytes) {
  constexpr double most_bytes = 1 << 29;
  if (bytes >= 4 * cache_bytes) return 1;  // what it began with is gone when it ends
  const double wanted = std::ceil(2 * cache_bytes / bytes) + 1;
  return static_cast<int>(
      std::clamp(wanted, 1.0, std::max(1.0, std::min(64.0, most_bytes / bytes))));
}

std::vector<float> random_numbers(std::int64_t count, std::uint64_t seed, const char* name) {
  RandomStream stream(seed, name);
  std::vector<float> numbers(static_cast<std::size_t>(count));
  // Uniform, and again from the start after a prime: as good for checking, and quick to draw.
  constexpr std::size_t period = 1'000'003;
  const double width = std::sqrt(12.0);
  const std::size_t drawn = std::min(numbers.size(), period);
  for (std::size_t i = 0; i < drawn; ++i) {
    numbers[i] = static_cast<float>(width * (stream.uniform() - 0.5));
  }
  for (std::size_t i = drawn; i < numbers.size(); ++i) numbers[i] = numbers[i - period];
  return numbers;
}

}  // namespace gpucap::measure::cpu
