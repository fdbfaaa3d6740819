#include "gpucap/metrics/slo_attainment.hpp"

#include "gpucap/metrics/latency.hpp"

#include <algorithm>

namespace gpucap::metrics {

SloAttainment::SloAttainment(const Slo& slo) {
  for (const Limit& limit : slo) {
    if (limit.metric == Metric::itl) continue;
    any_limit_ = true;
    const SimTime bound = to_sim_time(limit.limit);
    switch (limit.metric) {
      case Metric::queue:
        queue_ = std::min(queue_, bound);
        break;
      case Metric::ttft:
        first_token_ = std::min(first_token_, bound);
        break;
      case Metric::tpot:
        per_output_token_ = std::min(bound, per_output_token_.value_or(bound));
        break;
      case Metric::e2e:
        end_to_end_ = std::min(end_to_end_, bound);
        break;
      case Metric::itl:
        break;
    }
  }
}

void SloAttainment::arrived(std::int64_t /*id*/, SimTime /*time*/, std::int64_t /*queue_length*/) {
  ++arrived_;
}

void SloAttainment::finished(const record::RequestRow& row) {
  const RequestTimes times(row);
  if (times.queue > queue_ || times.first_token > first_token_ || times.end_to_end > end_to_end_) {
    return;
  }
  if (per_output_token_) {
    // Rounding, which costs more than all the rest here, never lifts a value over a whole limit.
    const auto own = times.per_output_token();
    const auto limit = static_cast<double>(per_output_token_->ns);
    if (own && own->in(unit::ns) > limit && to_sim_time(*own) > *per_output_token_) return;
  }
  ++attaining_;
}

std::optional<double> SloAttainment::share() const {
  if (arrived_ == 0 || !any_limit_) return std::nullopt;
  return static_cast<double>(attaining_) / static_cast<double>(arrived_);
}

}  // namespace gpucap::metrics
