#pragma once

#include "gpucap/account/ledger.hpp"
#include "gpucap/evaluate/outcome.hpp"
#include "gpucap/evaluate/terms.hpp"
#include "gpucap/metrics/slo.hpp"
#include "gpucap/plan/serving_plan.hpp"
#include "gpucap/record/sink.hpp"
#include "gpucap/serving/router.hpp"
#include "gpucap/serving/stepping.hpp"
#include "gpucap/workload/request.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace gpucap::evaluate {

/// One candidate, ready to be run under a load.
struct ServingCase {
  std::string name;
  plan::ServingPlan plan;
  serving::Router router = serving::Router::round_robin;
  serving::Stepping stepping = serving::Stepping::jumps;
  metrics::Slo slo;
  Terms terms;
  /// Prompt plus output of a load in which every request is equal: if that never fits, the
  /// candidate is infeasible instead of refusing each request.
  std::optional<std::int64_t> constant_tokens;
  Outcome::Provenance provenance;  ///< version, inputs and seed; the rest is filled in
  std::vector<std::string> notes;  ///< what the edge found, e.g. an unsettled peer-to-peer
};

/// Runs the load through the case: plan + workload + sinks -> Outcome. Throws std::logic_error when
/// a conservation law is broken, InputError when costs cannot be put into one currency.
Outcome evaluate(const ServingCase& serving_case, workload::Load load,
                 const std::vector<record::Sink*>& extra_sinks = {});

/// The bill of an evaluated case for a run that starts on `start`; empty without a price or a run.
std::vector<account::LedgerLine> bill(const ServingCase& serving_case, const Outcome& outcome,
                                      const pricing::Date& start);

}  // namespace gpucap::evaluate
