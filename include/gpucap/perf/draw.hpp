#pragma once

#include "gpucap/perf/calibration.hpp"
#include "gpucap/perf/engine_profile.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace gpucap::perf {

/// One Monte Carlo draw. What is uncertain is named, and a name has one value per draw: candidates
/// that rest on the same fit or run the same engine are lucky together (common random numbers).
struct Draw {
  std::uint64_t seed = 0;  ///< of the run
  std::int64_t index = 0;  ///< 0, 1, ...

  /// A standard normal number, cut at three deviations.
  [[nodiscard]] double normal(std::string_view name) const;
  /// Seed of the workload in this draw.
  [[nodiscard]] std::uint64_t workload_seed() const;
};

/// Deviation of the logarithm of the part's error that is the same for all its launches: between
/// shapes on the card that was measured, and of the transfer to another card.
double systematic_spread(const FitOrigin& origin);
double systematic_spread(const CollectiveFit& fit);

/// The calibration of card `gpu` with every part slower or faster by a factor of this draw.
Calibration drawn(Calibration calibration, const std::string& gpu, const Draw& draw);
CollectiveFit drawn(CollectiveFit fit, const Draw& draw);
/// The engine with its host times and memory terms drawn from their intervals, each taken as the
/// middle 80 % of two half-normals around the figure; figures without an interval stay.
EngineProfile drawn(EngineProfile engine, const Draw& draw);

}  // namespace gpucap::perf
