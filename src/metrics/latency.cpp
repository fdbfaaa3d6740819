#include "gpucap/metrics/latency.hpp"

#include <algorithm>

namespace gpucap::metrics {
namespace {

SimTime between(SimTime from, SimTime to) {
  return {to.ns - from.ns};
}

}  // namespace

std::optional<double> RequestTimes::per_output_token_s() const {
  const SimTime decoding = between(first_token, end_to_end);
  if (gaps <= 0 || decoding.ns <= 0) return std::nullopt;
  return as_seconds(decoding) / static_cast<double>(gaps);
}

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
  requests_.push_back({between(row.arrival, row.scheduled), between(row.arrival, row.first_token),
                       between(row.arrival, row.finished), row.output_tokens - 1});
}

void LatencyMetrics::refused(std::int64_t /*id*/, SimTime /*time*/) {
  ++counts_.refused;
}

void LatencyMetrics::token_gaps(const record::TokenGaps& gaps) {
  Ticks gap = gaps.first;
  for (std::int64_t i = 0; i < gaps.steps; ++i, gap += gaps.growth) gaps_.add(gap, gaps.count);
}

Summary LatencyMetrics::summary_of(SimTime RequestTimes::*member) const {
  std::vector<double> seconds;
  seconds.reserve(requests_.size());
  for (const RequestTimes& request : requests_) seconds.push_back(as_seconds(request.*member));
  return summarize(std::move(seconds));
}

Summary LatencyMetrics::queue() const {
  return summary_of(&RequestTimes::queue);
}
Summary LatencyMetrics::ttft() const {
  return summary_of(&RequestTimes::first_token);
}
Summary LatencyMetrics::e2e() const {
  return summary_of(&RequestTimes::end_to_end);
}

Summary LatencyMetrics::tpot() const {
  std::vector<double> seconds;
  for (const RequestTimes& request : requests_) {
    if (const auto per_token = request.per_output_token_s()) seconds.push_back(*per_token);
  }
  return summarize(std::move(seconds));
}

}  // namespace gpucap::metrics
