#pragma once

#include "gpucap/perf/kernel.hpp"
#include "gpucap/units/quantity.hpp"

#include <cstddef>

namespace gpucap::training {

/// Time on the links between cards.
inline perf::Work link_work(Seconds time, Bytes sent) {
  perf::Work work;
  work.by_cause[static_cast<std::size_t>(perf::Cause::link)] = time;
  work.link_bytes = sent;
  return work;
}

/// Bytes streamed through device memory at `rate`.
inline perf::Work streamed(Bytes moved, Bandwidth rate) {
  perf::Work work;
  work.by_cause[static_cast<std::size_t>(perf::Cause::memory_bandwidth)] = moved / rate;
  work.bytes = moved;
  return work;
}

/// Time that belongs to no kernel.
inline perf::Work waiting(perf::Cause cause, Seconds time) {
  perf::Work work;
  work.by_cause[static_cast<std::size_t>(cause)] = time;
  return work;
}

}  // namespace gpucap::training
