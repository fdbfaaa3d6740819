#pragma once

#include "gpucap/plan/serving_plan.hpp"
#include "gpucap/record/sink.hpp"
#include "gpucap/record/usage.hpp"
#include "gpucap/serving/router.hpp"
#include "gpucap/serving/stepping.hpp"
#include "gpucap/workload/request.hpp"

#include <cstdint>
#include <vector>

namespace gpucap::serving {

/// What is left when the last request has left: usage by replica and the instant of the end.
struct FleetRecord {
  std::vector<record::Timeline> timelines;  ///< of each stage of each replica, in order
  SimTime end;                              ///< last completion, 0 when nothing ran
  std::int64_t arrived = 0, finished = 0, refused = 0;
  std::int64_t blocks_left = 0;  ///< KV blocks still owned; 0 unless there is a bug
};

/// Runs a load through the replicas of a feasible plan, event by event, until all is answered.
FleetRecord simulate(const plan::ServingPlan& plan, workload::Load load, Router router,
                     const std::vector<record::Sink*>& sinks, Stepping stepping = Stepping::jumps);

}  // namespace gpucap::serving
