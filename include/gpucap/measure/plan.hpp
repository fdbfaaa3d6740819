#pragma once

#include "gpucap/measure/protocol.hpp"

#include <vector>

namespace gpucap::measure {

/// What a calibration of this device measures, the most useful first: a run that ends early has
/// something of every kind. Sizes that its memory does not hold are left out.
std::vector<Planned> calibration_plan(const DeviceFacts& device);

/// The protocol for such a device, `all` of the time in all.
Protocol protocol_for(const DeviceFacts& device, Seconds all);

}  // namespace gpucap::measure
