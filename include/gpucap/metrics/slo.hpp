#pragma once

#include "gpucap/core/error.hpp"
#include "gpucap/metrics/latency.hpp"
#include "gpucap/units/quantity.hpp"

#include <cstdint>
#include <optional>
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
  std::optional<double> attained;   ///< share of arrived requests; absent without any
  std::vector<std::string> misses;  ///< "ttft_p95 2.70 s > 2 s"
};

/// Compares in whole nanoseconds.
/// * A limit whose statistic has no sample is missed: no answer is no good answer. So is a
///   percentile limit when so many requests were refused that the request of that rank, refused
///   ones counted as the latest, got no answer.
/// * A request attains when its own queue, ttft, tpot and e2e are each within the limits that name
///   them, whatever the statistic; a tpot limit does not touch a request without tpot, an itl limit
///   none at all. Refused and unfinished requests do not attain. `attained` is absent when no limit
///   speaks of single requests.
SloVerdict evaluate_slo(const Slo& slo, const LatencyMetrics& metrics);

}  // namespace gpucap::metrics
