#pragma once

#include "gpucap/hardware/host.hpp"
#include "gpucap/perf/calibration.hpp"

#include <string_view>

namespace gpucap::plan {

/// What a collective costs on this host over this many cards, as `engine` (an engine id such as
/// "vllm-0.19"; empty: none) runs it:
/// 1. a measured set of this host and number of ranks: of the engine's own implementation the
///    version nearest to its own, else the newest NCCL;
/// 2. else the host's links, at the share of their usual rate that this host reached with another
///    number of ranks where the same kind of link is the limit.
/// A derived set says so in its origin and has an interval, that of the limiting link.
perf::CollectiveFit collective_on(const perf::Calibration& calibration, const hardware::Host& host,
                                  hardware::Collective collective, int ranks,
                                  std::string_view engine);

}  // namespace gpucap::plan
