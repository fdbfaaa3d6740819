#pragma once

#include "gpucap/hardware/gpu.hpp"
#include "gpucap/perf/calibration.hpp"
#include "gpucap/units/quantity.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace gpucap::training {

/// A model that is known by measured throughput on one card only: no layers, no memory.
struct RatedModel {
  std::string id;
  std::string card;  ///< GPU id that it was measured on
  std::string source;
  struct Rate {
    std::int64_t global_batch = 0;
    std::int64_t cards = 1;
    Frequency steps;  ///< per second
  };
  std::vector<Rate> rates;
};

/// As measured; nothing where that batch on so many cards was not.
std::optional<Frequency> measured_rate(const RatedModel& model, std::int64_t global_batch,
                                       std::int64_t cards);

/// Speed of one card over that of another for a recurrent net, and the range it must lie in.
struct RatedRatio {
  double middle = 1, low = 1, high = 1;
};

/// What may bound a recurrent net: the host that launches its small kernels (1), device memory, the
/// clock that a chain of dependent kernels runs at, and large products. The ratio lies between the
/// least and the largest of these four; the middle is their geometric mean. Not validated.
RatedRatio recurrent_ratio(const hardware::Gpu& card, const perf::Calibration& calibration,
                           const hardware::Gpu& reference,
                           const perf::Calibration& reference_calibration);

}  // namespace gpucap::training
