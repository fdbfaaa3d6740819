#pragma once

#include "gpucap/hardware/gpu.hpp"
#include "gpucap/perf/calibration.hpp"

#include <filesystem>
#include <map>
#include <string_view>

namespace gpucap::catalog {

/// Which card lends the fit of which kernels, by architecture.
inline constexpr std::string_view formats_file = "calibration/fits/gemm-formats.json";

/// Fits of all quantised kernels that the card has, or that another card lends it as fractions of
/// 16-bit products (docs/models/quantization.md); `plain` is the card's own fit of those. Kernels
/// that nobody has are left out. Throws InputError with all problems of a file.
std::map<models::ProductKernels, perf::FormatFit> read_formats(
    const std::filesystem::path& data_dir, const hardware::Gpu& gpu, const perf::GemmFit& plain);

/// The fused layer of routed experts, measured on the card or carried over as fractions of 16-bit
/// products. Throws InputError.
perf::ExpertFit read_experts(const std::filesystem::path& data_dir, const hardware::Gpu& gpu,
                             const perf::GemmFit& plain);

}  // namespace gpucap::catalog
