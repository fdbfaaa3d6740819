#pragma once

#include "gpucap/metrics/slo.hpp"
#include "gpucap/record/sink.hpp"

#include <cstdint>
#include <optional>

namespace gpucap::metrics {

/// Counts the requests that attain an SLO while they finish: a request does when its own queue,
/// ttft, tpot and e2e are each within the limits that name them, whatever the statistic; compared
/// in whole nanoseconds. A tpot limit does not touch a request without tpot, an itl limit none at
/// all. Refused and unfinished requests do not attain.
class SloAttainment : public record::Sink {
 public:
  explicit SloAttainment(const Slo& slo);

  void arrived(std::int64_t id, SimTime time, std::int64_t queue_length) override;
  void finished(const record::RequestRow& row) override;

  /// Share of arrived requests; absent without any, and when no limit speaks of single requests.
  [[nodiscard]] std::optional<double> share() const;

 private:
  SimTime queue_ = SimTime::never(), first_token_ = SimTime::never(),
          end_to_end_ = SimTime::never();
  std::optional<SimTime> per_output_token_;
  bool any_limit_ = false;
  std::int64_t arrived_ = 0, attaining_ = 0;
};

}  // namespace gpucap::metrics
