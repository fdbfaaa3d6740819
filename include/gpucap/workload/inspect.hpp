#pragma once

#include "gpucap/units/quantity.hpp"
#include "gpucap/units/sim_time.hpp"
#include "gpucap/workload/request.hpp"

#include <cstdint>
#include <optional>

namespace gpucap::workload {

/// Token counts of all requests; percentiles by nearest rank, exact.
struct TokenSummary {
  std::int64_t sum = 0;
  double mean = 0;
  std::int64_t p50 = 0, p95 = 0, p99 = 0, max = 0;
};

/// What a trace asks for. Absent values do not exist for this trace.
struct TraceSummary {
  std::int64_t rows = 0;     ///< requests delivered
  std::int64_t dropped = 0;  ///< rows without prompt or output tokens
  std::optional<SimTime> first_arrival, last_arrival;
  std::optional<Frequency> mean_rate;  ///< gaps per second of span; absent without a span
  /// Sample standard deviation of the gaps over their mean: 1 for Poisson, 0 for equal gaps.
  std::optional<double> gap_variation;
  std::optional<TokenSummary> prompt, output;
  std::int64_t block_tokens = 0;  ///< 0: the trace names no blocks
  /// Share of the prompt tokens that lie in blocks which, with all blocks before them, came before:
  /// the hit rate of a cache without limit. Absent when the trace names no blocks.
  std::optional<double> shared_prefix_share;

  [[nodiscard]] Seconds span() const;
};

/// Reads the stream to its end. Memory grows with the number of different lengths and blocks.
TraceSummary inspect(RequestStream& requests);

}  // namespace gpucap::workload
