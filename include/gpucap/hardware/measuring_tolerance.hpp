#pragma once

namespace gpucap::hardware {

/// Genuine launches reach a nominal peak or bandwidth plus this share: clocks run above the nominal
/// one. What is faster was not measured so, and a fitted fraction beyond it beats the hardware.
inline constexpr double measuring_tolerance = 0.02;

}  // namespace gpucap::hardware
