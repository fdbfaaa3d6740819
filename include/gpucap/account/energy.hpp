#pragma once

#include "gpucap/hardware/gpu.hpp"
#include "gpucap/perf/calibration.hpp"
#include "gpucap/record/usage.hpp"
#include "gpucap/units/quantity.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace gpucap::account {

/// Power of one card, as docs/models/power.md states it.
struct CardPower {
  Watts tdp;
  Watts idle;                       ///< a model in memory, no step running
  Watts unused;                     ///< nothing loaded
  perf::Calibration::Power shares;  ///< of TDP
  FlopRate peak;                    ///< dense peak of the arithmetic that runs
  Bandwidth bandwidth;
  std::vector<std::string> notes;  ///< what stands in for a missing idle figure
};

/// Idle watts with a model loaded fall back to those asleep, and both to the active floor, each
/// time with a note.
CardPower card_power(const hardware::Gpu& gpu, const perf::Calibration::Power& shares,
                     FlopRate peak);

/// Watts of one card while steps run: min(TDP, floor + compute u_c + memory u_m), u_c and u_m being
/// the mean shares of peak and bandwidth over `usage`. The floor alone where no time passed.
Watts active_power(const CardPower& card, const record::Usage& usage);
/// The same of work that takes `time`.
Watts active_power(const CardPower& card, Seconds time, Flops flops, Bytes bytes);

/// Energy of one card over `usage` in `state`: at idle watts, or at active_power.
Joules energy_of(const CardPower& card, record::State state, const record::Usage& usage);

/// Where the energy goes besides the card.
struct EnergyTerms {
  std::optional<double> pue;             ///< facility over device energy, at least 1
  std::optional<double> grid_g_per_kwh;  ///< gCO2e per kWh at the meter
};

/// "measured", "scaled" or "assumed".
std::string basis_of(const perf::Calibration::Power& shares);

/// A node: engines or pipeline stages of `ranks` cards each, one timeline per stage, `cards` in
/// all.
struct NodeWork {
  const std::vector<record::Timeline>& timelines;
  int ranks = 1;
  int cards = 1;
  Seconds held;
  std::int64_t output_tokens = 0;
};

/// Cards only: host and cooling are outside, except that gco2e counts PUE once when it is given.
struct EnergySummary {
  Joules total;
  Joules active;  ///< while steps ran
  std::optional<double> kwh, mean_w, joules_per_output_token;
  std::optional<double> gco2e;  ///< absent without a grid factor
  std::string basis;            ///< measured, scaled or assumed
  std::vector<std::string> notes;
};

/// Integrates exactly over (bucket, state) intervals; time of `held` that no interval covers is
/// idle, cards that no replica uses are unused. Throws std::invalid_argument when intervals cover
/// more than `held`, replicas need more than `cards`, or PUE is below 1 or the grid factor
/// negative.
EnergySummary summarize_energy(const CardPower& card, const NodeWork& work,
                               const EnergyTerms& terms);

}  // namespace gpucap::account
