#include <cmath>
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
  perf::GemmShape shape{whole(row, "m"), whole(row, "n"), whole(row, "k")};
  shape.weight_bytes = format->bits_per_weight / 8 + format->scale_bytes_per_weight;
  const auto peak = peak_of(gpu, format->compute);
  if (!peak) return std::nullopt;
  const perf::Card card{*peak, gpu.memory_bandwidth, gpu.sm_count};
  Launch launch;
  const bool plain = format->bits_per_weight == 16;
  launch.kernel = plain ? "GEMM" : fmt::format("GEMM {}", dtype);
  launch.fitted = plain;
  launch.shape = fmt::format("{} x {} x {}", shape.m, shape.n, shape.k);
  launch.key = {shape.n, shape.k};
  launch.size = shape.m;
  launch.work = perf::gemm(context.card.calibration.gemm, card, shape);
  return launch;
}

std::optional<Launch> expert_launch(const LaunchContext& context, const CsvCells& row) {
  // Qwen3-30B-A3B, the only model of the table.
  const perf::ExpertShape shape{whole(row, "tokens"), 2048, 768, 128, 8, 2};
  const double touched = 128 * (1 - std::pow(1 - 8.0 / 128, static_cast<double>(shape.tokens)));
  const auto activated = static_cast<double>(whole(row, "activated_experts"));
  if (std::abs(activated - touched) > 0.1 * touched) return std::nullopt;  // not uniform routing
  const hardware::Gpu& gpu = context.card.gpu;
  const perf::Card card{gpu.peak(Dtype::bf16), gpu.memory_bandwidth, gpu.sm_count};
  Launch launch;
  launch.kernel = "experts";
  launch.fitted = false;
  launch.shape = fmt::format("{} tokens, {} of 128 experts", shape.tokens, activated);
  launch.key = {shape.tokens};
  launch.size = shape.tokens;
  launch.work = perf::routed_experts(context.card.calibration.gemm, card, shape);
  return launch;
}

}  // namespace gpucap::validate
