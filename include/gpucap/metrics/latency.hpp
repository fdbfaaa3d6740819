#pragma once

#include "gpucap/core/statistics.hpp"
#include "gpucap/metrics/quantile_sample.hpp"
#include "gpucap/record/sink.hpp"
#include "gpucap/units/quantity.hpp"

#include <cstdint>
#include <optional>

namespace gpucap::metrics {

/// What one finished request saw.
struct RequestTimes {
  explicit RequestTimes(const record::RequestRow& row)
      : queue{row.scheduled.ns - row.arrival.ns},
        first_token{row.first_token.ns - row.arrival.ns},
        end_to_end{row.finished.ns - row.arrival.ns},
        gaps(row.output_tokens - 1) {}

  SimTime queue;          ///< arrival to first scheduled
  SimTime first_token;    ///< arrival to first token (TTFT)
  SimTime end_to_end;     ///< arrival to last token
  std::int64_t gaps = 0;  ///< output tokens after the first

  /// Time per output token after the first (TPOT): decoding alone, over n - 1 gaps. Absent for a
  /// single token, and when all tokens came at one instant, which says nothing about a rate.
  [[nodiscard]] std::optional<Seconds> per_output_token() const;
};

inline std::optional<Seconds> RequestTimes::per_output_token() const {
  const SimTime decoding{end_to_end.ns - first_token.ns};
  if (gaps <= 0 || decoding.ns <= 0) return std::nullopt;
  return as_seconds(decoding) / static_cast<double>(gaps) * unit::s;
}

/// In seconds, over all finished requests (tpot: those that have one; itl: all gaps between
/// tokens).
struct LatencySummaries {
  Summary queue, ttft, tpot, itl, e2e;
};

/// Counts and latencies of the requests that finish; refused ones have none. A few MiB whatever the
/// number of requests: see QuantileSample for what is exact.
class LatencyMetrics : public record::Sink {
 public:
  struct Counts {
    std::int64_t arrived = 0, finished = 0, refused = 0;
    std::int64_t preempted = 0;    ///< finished requests that lost their blocks at least once
    std::int64_t preemptions = 0;  ///< how often that happened in all
    std::int64_t input_tokens = 0, output_tokens = 0;  ///< of finished requests
    std::int64_t cached_prompt_tokens = 0;             ///< prefix hits at first admission
    std::optional<SimTime> first_arrival, last_finish;

    /// Hit over queried prompt tokens at first admission; absent when none was queried.
    [[nodiscard]] std::optional<double> prefix_hit_rate() const;
  };

  void arrived(std::int64_t id, SimTime time, std::int64_t queue_length) override;
  void finished(const record::RequestRow& row) override;
  void refused(std::int64_t id, SimTime time) override;
  void token_gaps(const record::TokenGaps& gaps) override;

  [[nodiscard]] const Counts& counts() const { return counts_; }
  /// Selects each quantile anew: ask once and keep the answer.
  [[nodiscard]] LatencySummaries summaries() const;

 private:
  Counts counts_;
  DurationSample queue_, first_token_, end_to_end_, gaps_;
  RatioSample per_output_token_;
};

}  // namespace gpucap::metrics
