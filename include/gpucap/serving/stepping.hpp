#pragma once

#include <cstdint>

namespace gpucap::serving {

/// How a replica passes through equal steps.
enum class Stepping : std::uint8_t {
  jumps,      ///< many at once, in closed form
  reference,  ///< one at a time; equal to the other bit for bit
};

}  // namespace gpucap::serving
