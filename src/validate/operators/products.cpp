#include "gpucap/perf/formatted_gemm.hpp"

#include <stdexcept>

#include "launch.hpp"
#include <fmt/format.h>

namespace gpucap::validate {
namespace {

/// The format in which weights of a product are stored; the model only says what is not quantised.
std::optional<models::WeightFormat> format_of(const LaunchContext& context,
                                              const std::string& dtype) {
  const auto meaning = context.book.weight_dtypes.find(dtype.empty() ? "bf16" : dtype);
  if (meaning == context.book.weight_dtypes.end()) return std::nullopt;
  static const std::string any_model = "llama-3.1-8b";
  return models::weight_format(context.library.models().find(any_model), meaning->second.id);
}

std::optional<FlopRate> peak_of(const hardware::Gpu& gpu, Dtype dtype) {
  try {
    return gpu.peak(dtype);
  } catch (const std::out_of_range&) {
    return std::nullopt;
  }
}

}  // namespace

std::optional<Launch> gemm_launch(const LaunchContext& context, const CsvCells& row) {
  const std::string& dtype = row.text("dtype");
  const auto format = format_of(context, dtype);
  if (!format) return std::nullopt;
  const hardware::Gpu& gpu = context.card.gpu;
  const auto peak = peak_of(gpu, format->compute);
  if (!peak) return std::nullopt;
  const std::int64_t m = whole(row, "m"), n = whole(row, "n"), k = whole(row, "k");
  const perf::Calibration& fits = context.card.calibration;
  const bool plain = format->kernels == models::ProductKernels::plain;
  const perf::FormatFit* own = perf::format_fit(fits, format->kernels);
  Launch launch;
  launch.kernel = plain ? "GEMM" : fmt::format("GEMM {}", dtype);
  launch.fitted = plain || (own != nullptr && own->origin.measured);
  launch.shape = fmt::format("{} x {} x {}", m, n, k);
  launch.key = {{n, k}, m};
  launch.operands_known = plain;
  launch.work =
      perf::formatted_gemm(fits, card_of(context.card, format->compute), *format, m, n, k);
  return launch;
}

std::optional<Launch> expert_launch(const LaunchContext& context, const CsvCells& row) {
  // Qwen3-30B-A3B, the only model of the table.
  const perf::ExpertShape shape{whole(row, "tokens"), 2048, 768, 128, 8, 2};
  const auto& fit = context.card.calibration.experts;
  if (!fit) return std::nullopt;
  const std::int64_t touched = whole(row, "activated_experts");
  Launch launch;
  launch.kernel = "experts";
  launch.fitted = fit->origin.measured;
  launch.shape = fmt::format("{} tokens, {} of 128 experts", shape.tokens, touched);
  launch.key = {{shape.tokens, touched}, shape.tokens};
  launch.work =
      perf::routed_experts(*fit, card_of(context.card), shape, static_cast<double>(touched));
  return launch;
}

}  // namespace gpucap::validate
