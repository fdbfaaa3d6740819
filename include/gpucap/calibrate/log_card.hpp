#pragma once

#include "gpucap/hardware/gpu.hpp"

#include <string>

namespace gpucap::calibrate {

/// Whether a driver's name, such as "NVIDIA A100-SXM4-80GB", can be that of the card. What the name
/// does not say, such as the memory or the form, is no contradiction.
bool is_named(const hardware::Gpu& gpu, const std::string& name);

}  // namespace gpucap::calibrate
