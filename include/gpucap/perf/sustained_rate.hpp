#pragma once

#include "gpucap/units/quantity.hpp"

namespace gpucap::perf {

/// Energy of one dense 16-bit FLOP of a chip generation when its clock is `clock`; it goes with
/// the clock, because a lower clock asks for a lower voltage.
struct SwitchingEnergy {
  Joules per_flop;
  Frequency clock;
};

/// What bounds the clock of one card under load.
struct PowerCap {
  Watts limit;      ///< TDP
  Watts floor;      ///< drawn with a model loaded and nothing running
  FlopRate peak;    ///< dense, 16 bits
  Frequency clock;  ///< that the peak assumes
};

/// Share x of the peak P that lasts at clock x f: x P e(x f) = limit - floor with the energy e per
/// FLOP in proportion to the clock, so x = sqrt((limit - floor) / (P e(f))), at most 1. The limit
/// must lie above the floor. docs/models/sustained-rate.md
double sustained_share(const SwitchingEnergy& energy, const PowerCap& cap);

}  // namespace gpucap::perf
