#pragma once

#include "gpucap/evaluate/serving.hpp"
#include "gpucap/metrics/latency.hpp"
#include "gpucap/serving/fleet.hpp"

namespace gpucap::evaluate {

/// What one simulation recorded, in the terms of its plan.
struct Run {
  const ServingCase& serving_case;
  const serving::FleetRecord& record;
  const metrics::LatencyMetrics::Counts& counts;
  const metrics::LatencySummaries& latency;

  /// From the first arrival to the last token; nothing ran: zero.
  [[nodiscard]] Seconds makespan() const;
  [[nodiscard]] record::Usage total() const;  ///< all replicas, all states
};

void fill_requests(Outcome& outcome, const Run& run);
void fill_bottleneck(Outcome& outcome, const Run& run);
void fill_utilization(Outcome& outcome, const Run& run);
void fill_cost(Outcome& outcome, const ServingCase& serving_case, const account::RentedWork& work);
void fill_energy(Outcome& outcome, const Run& run);

}  // namespace gpucap::evaluate
