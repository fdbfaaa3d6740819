#include "gpucap/metrics/latency.hpp"

#include <algorithm>

namespace gpucap::metrics {

std::optional<double> LatencyMetrics::Counts::prefix_hit_rate() const {
  if (input_tokens == 0) return std::nullopt;
  return static_cast<double>(cached_prompt_tokens) / static_cast<double>(input_tokens);
}

void LatencyMetrics::arrived(std::int64_t /*id*/, SimTime time, std::int64_t /*queue_length*/) {
  ++counts_.arrived;
  counts_.first_arrival = std::min(time, counts_.first_arrival.value_or(time));
}

void LatencyMetrics::finished(const record::RequestRow& row) {
  ++counts_.finished;
  counts_.preempted += row.preemptions > 0 ? 1 : 0;
  counts_.preemptions += row.preemptions;
  counts_.input_tokens += row.prompt_tokens;
  counts_.output_tokens += row.output_tokens;
  counts_.cached_prompt_tokens += row.cached_prompt_tokens;
  counts_.last_finish = std::max(row.finished, counts_.last_finish.value_or(row.finished));
  const RequestTimes times(row);
  queue_.add(times.queue);
  first_token_.add(times.first_token);
  end_to_end_.add(times.end_to_end);
  if (const auto per_token = times.per_output_token()) per_output_token_.add(*per_token);
}

void LatencyMetrics::refused(std::int64_t /*id*/, SimTime /*time*/) {
  ++counts_.refused;
}

void LatencyMetrics::token_gaps(const record::TokenGaps& gaps) {
  gaps_.add(gaps);
}

LatencySummaries LatencyMetrics::summaries() const {
  return {queue_.summary(), first_token_.summary(), per_output_token_.summary(), gaps_.summary(),
          end_to_end_.summary()};
}

}  // namespace gpucap::metrics
