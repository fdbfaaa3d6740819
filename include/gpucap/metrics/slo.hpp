#pragma once

#include "gpucap/core/error.hpp"
#include "gpucap/metrics/latency.hpp"
#include "gpucap/units/quantity.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gpucap::metrics {

enum class Metric : std::uint8_t { queue, ttft, tpot, itl, e2e };
enum class Statistic : std::uint8_t { mean, p50, p90, p95, p99, max };

/// "ttft_p95<2s": the statistic of the metric must not exceed the limit.
struct Limit {
  Metric metric;
  Statistic statistic;
  Seconds limit;

  [[nodiscard]] std::string name() const;  ///< "ttft_p95"
};

using Slo = std::vector<Limit>;

/// Reads limits separated by commas, e.g. "ttft_p95<2s,tpot_p95<100ms"; `<` and `<=` both mean "at
/// most". `where` tells the user which text is meant (its file, position and pointer are used).
/// Throws InputError with every problem found.
Slo parse_slo(std::string_view text,
              const Problem& where = {
                  .file = {}, .position = {}, .pointer = "--slo", .message = {}, .code = {}});

struct SloVerdict {
  bool met = true;                  ///< every limit holds
  std::vector<std::string> misses;  ///< "ttft_p95 2.70 s > 2 s"
};

/// Compares in whole nanoseconds. A limit whose statistic has no sample is missed: no answer is no
/// good answer. So is a percentile limit when so many requests were refused that the request of
/// that rank, refused ones counted as the latest, got no answer. A percentile beyond the exact ones
/// is compared as it is shown.
SloVerdict evaluate_slo(const Slo& slo, const LatencySummaries& latency,
                        const LatencyMetrics::Counts& counts);

}  // namespace gpucap::metrics
