#pragma once

#include "gpucap/hardware/gpu.hpp"
#include "gpucap/perf/calibration.hpp"

#include <filesystem>
#include <map>
#include <string_view>

namespace gpucap::catalog {

/// Which card lends the fit of which kernels, by architecture.
inline constexpr std::string_view formats_file = "calibration/fits/gemm-formats.json";

/// Shares of peak and bandwidth that long 16-bit products reach on a card, power cap included.
struct PlainRates {
  double ec = 0, eb = 0;
};

/// Fits of all quantised kernels that the card has, or that another card lends it as fractions of
/// 16-bit products (docs/models/quantization.md); `plain` is what those reach on the card. Kernels
/// that nobody has are left out. Throws InputError with all problems of a file.
std::map<models::ProductKernels, perf::FormatFit> read_formats(
    const std::filesystem::path& data_dir, const hardware::Gpu& gpu, const PlainRates& plain);

/// The fused layer of routed experts, measured on the card or carried over as fractions of 16-bit
/// products. Throws InputError.
perf::ExpertFit read_experts(const std::filesystem::path& data_dir, const hardware::Gpu& gpu,
                             const PlainRates& plain);

}  // namespace gpucap::catalog
