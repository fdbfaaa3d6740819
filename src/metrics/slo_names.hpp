#pragma once

#include <array>
#include <string>

namespace gpucap::metrics {

// In the order of the enumerations.
inline const std::array<std::string, 5> metric_names = {"queue", "ttft", "tpot", "itl", "e2e"};
inline const std::array<std::string, 6> statistic_names = {"mean", "p50", "p90",
                                                           "p95",  "p99", "max"};

}  // namespace gpucap::metrics
