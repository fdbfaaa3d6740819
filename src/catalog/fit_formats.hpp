#pragma once

#include "gpucap/hardware/gpu.hpp"
#include "gpucap/perf/calibration.hpp"

#include <filesystem>
#include <map>
#include <string>
#include <string_view>

#include "fit_file.hpp"

namespace gpucap::catalog {

/// Which card lends the fit of which kernels, by architecture.
inline constexpr std::string_view formats_file = "calibration/fits/gemm-formats.json";

/// Shares of peak and bandwidth that long 16-bit products reach on a card, power cap included.
struct PlainRates {
  double ec = 0, eb = 0;
};

/// Who lends the fit of one kind of kernels to cards of one architecture.
struct Lender {
  std::string card;
  std::string fit;  ///< name of the fit file; another format's where that is the nearest measured
  double interval = 0;
  std::string caveat;
};
using Lenders = std::map<models::ProductKernels, Lender>;
struct ExpertLender {
  std::string card;
  double interval = 0;
};

// Files, read whole. Each throws InputError with all problems of its file.

Lenders read_lenders(const std::filesystem::path& data_dir, const std::string& architecture);
ExpertLender read_expert_lender(const std::filesystem::path& data_dir);
perf::FormatFit read_format(FitFile file);
/// The part of a file that is being read; problems stay in the file.
perf::FormatFit format_part(FitFile& file, std::string_view key);
perf::ExpertFit read_expert_file(FitFile file);

class FitFiles;

/// Fits of all quantised kernels that the card has, or that another card lends it as fractions of
/// 16-bit products (docs/models/quantization.md); `plain` is what those reach on the card. Kernels
/// that nobody has are left out. Throws InputError with all problems of a file.
std::map<models::ProductKernels, perf::FormatFit> formats_of(FitFiles& files,
                                                             const hardware::Gpu& gpu,
                                                             const PlainRates& plain);

/// The fused layer of routed experts, measured on the card or carried over as fractions of 16-bit
/// products. Throws InputError.
perf::ExpertFit experts_of(FitFiles& files, const hardware::Gpu& gpu, const PlainRates& plain);

}  // namespace gpucap::catalog
