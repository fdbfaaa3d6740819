#pragma once

#include <algorithm>
#include <cstdint>

namespace gpucap::measure::cpu {

/// Calls body(i) for i below `tasks`, on as many threads as there are tasks for.
template <class Body>
void parallel(int threads, std::int64_t tasks, const Body& body) {
  const int team =
      static_cast<int>(std::min<std::int64_t>(threads, std::max<std::int64_t>(tasks, 1)));
#pragma omp parallel for num_threads(team) schedule(dynamic)
  for (std::int64_t i = 0; i < tasks; ++i) body(i);
}

/// Calls body(begin, end) for `threads` ranges of [0, count) whose ends are multiples of `grain`.
template <class Body>
void parallel_ranges(int threads, std::int64_t count, std::int64_t grain, const Body& body) {
  const std::int64_t grains = (count + grain - 1) / grain;
  const std::int64_t parts = std::min<std::int64_t>(threads, std::max<std::int64_t>(grains, 1));
  parallel(threads, parts, [&](std::int64_t part) {
    const std::int64_t begin = grains * part / parts * grain;
    body(begin, std::min(count, grains * (part + 1) / parts * grain));
  });
}

}  // namespace gpucap::measure::cpu
