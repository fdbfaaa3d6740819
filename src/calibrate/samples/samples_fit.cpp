#include "gpucap/calibrate/samples_fit.hpp"

#include "gpucap/calibrate/samples_file.hpp"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

namespace gpucap::calibrate {
namespace {

using measure::Attention;
using measure::Pass;
using measure::Product;
using measure::Sample;
using measure::Samples;
using measure::Stream;
using Width = perf::ElementwiseKernel::Width;

bool on_cpu(const Samples& samples) {
  return samples.device.kind == "cpu";
}

/// The rate of a sample's fastest batch; nothing for other work.
FlopRate product_rate(const Sample& sample) {
  const auto* work = std::get_if<Product>(&sample.work);
  if (work == nullptr) return {};
  const double products =
      static_cast<double>(work->m) * static_cast<double>(work->n) * static_cast<double>(work->k);
  return 2 * products * unit::flop / sample.fastest;
}

Bandwidth stream_rate(const Sample& sample) {
  const auto* work = std::get_if<Stream>(&sample.work);
  if (work == nullptr) return {};
  const int arrays = work->kind == Stream::Kind::triad ? 3 : 2;
  return arrays * work->bytes / sample.fastest;
}

/// The passes of a decoder layer that are measured, and how often a layer has them.
std::vector<KernelPlan> kernels() {
  std::vector<KernelPlan> list;
  const auto add = [&](const char* name, const char* layer, const char* symbol, Width width,
                       double per_layer) {
    KernelPlan& plan = list.emplace_back();
    plan.kernel.name = name;
    plan.kernel.width = width;
    plan.kernel.per_layer = per_layer;
    plan.layer = layer;
    plan.symbol = symbol;
  };
  add("RMS norm with residual add", "rms_norm", "norm_passes", Width::hidden, 2);
  add("rotary embedding", "rope", "rope_passes", Width::query_and_key, 1);
  add("SiLU and multiply", "silu_mul", "activation_passes", Width::ffn, 1);
  return list;
}

/// Terms of a graphics card that a processor does not have.
void hold_for_cpu(FitPlan& plan) {
  const std::string reason = "a processor has no such term";
  if (plan.parts.contains("gemm")) plan.parts["gemm"].tiles = false;
  if (plan.parts.contains("prefill")) {
    auto& hold = plan.parts["prefill"].hold;
    hold["small_head_factor"] = {"1", reason};
    hold["row_tile"] = {"64", "rows that the kernel takes at once"};
    hold["packs_group"] = {"0", "one head at a time"};
  }
  if (plan.parts.contains("decode")) {
    auto& hold = plan.parts["decode"].hold;
    hold["skew"] = {"0", reason};
    hold["unsplit_share_of_sms"] = {"1", reason};
  }
}

bool has(const Samples& samples, const std::string& part) {
  return std::any_of(samples.samples.begin(), samples.samples.end(), [&](const Sample& sample) {
    const auto* attention = std::get_if<Attention>(&sample.work);
    if (part == "gemm") return std::holds_alternative<Product>(sample.work);
    if (part == "prefill") return attention != nullptr && attention->q > 1;
    if (part == "decode") return attention != nullptr && attention->q == 1;
    return std::holds_alternative<Pass>(sample.work);
  });
}

FitPlan plan_of(const Samples& samples, const hardware::Gpu& card,
                const std::set<std::string>& parts) {
  FitPlan plan;
  plan.card = card.id;
  for (const std::string& part : parts) {
    if (!has(samples, part)) continue;
    PartPlan& one = plan.parts[part];
    one.source = fmt::format("gpucap calibrate on {}, {}", samples.device.name, samples.date);
    one.all_launches = true;  // operands are kept out of the cache
    if (part == "elementwise") one.kernels = kernels();
  }
  if (on_cpu(samples)) hold_for_cpu(plan);
  return plan;
}

}  // namespace

hardware::Gpu cpu_card(const Samples& samples) {
  hardware::Gpu card;
  card.id = "cpu";
  card.name = samples.device.name;
  card.architecture = "CPU";
  card.sm_count = samples.device.processors;
  card.memory_total = card.memory_visible = samples.device.memory;
  card.l2 = samples.device.cache;
  FlopRate peak;
  for (const Sample& sample : samples.samples) {
    peak = std::max(peak, product_rate(sample));
    card.memory_bandwidth = std::max(card.memory_bandwidth, stream_rate(sample));
  }
  if (!(peak > FlopRate{}) || !(card.memory_bandwidth > Bandwidth{})) {
    throw InputError(Problem{"", "", "/samples",
                             "holds no product or no stream, by which a processor is known",
                             "no-samples"});
  }
  card.dense_peak[Dtype::fp32] = peak;
  return card;
}

std::set<std::string> usual_parts(const Samples& samples) {
  if (on_cpu(samples)) return {"gemm", "prefill", "decode", "elementwise"};
  return {"gemm", "elementwise"};
}

FittedFile fit_samples(const Samples& samples, const std::string& file, const hardware::Gpu& card,
                       const std::set<std::string>& parts, double sustained,
                       const perf::Calibration* in_force) {
  FittedFile fitted;
  fitted.gpu = card;
  for (const std::string& part : parts) {
    auto tables = tables_of(samples, file);
    const FitPlan plan = plan_of(samples, card, {part});
    try {
      FittedFile one = fit_card(card, tables, plan, {}, {card.id}, sustained, in_force);
      std::move(one.parts.begin(), one.parts.end(), std::back_inserter(fitted.parts));
      if (!one.kernels.empty()) fitted.kernels = std::move(one.kernels);
    } catch (const InputError& error) {
      const Problem& problem = error.problems().front();
      if (problem.code != "too-few-samples") throw;
      fitted.notes += fmt::format("{}left out: {}: {}", fitted.notes.empty() ? "" : "; ", part,
                                  problem.message);
    }
  }
  return fitted;
}

CalibrationFile calibration_of(FittedFile fitted, const Samples& samples) {
  CalibrationFile file;
  file.fitted = std::move(fitted);
  auto& on = file.measured_on;
  on = {samples.device.name, samples.date, "gpucap calibrate", {}};
  const auto add = [&](const char* key, const std::string& text) {
    if (!text.empty()) on.more.emplace_back(key, text);
  };
  const auto mhz = [](const std::optional<Frequency>& clock) {
    return clock ? fmt::format("{:.0f} MHz", clock->in(unit::MHz)) : "";
  };
  add("driver", samples.device.driver);
  add("runtime", samples.device.runtime);
  add("version", samples.version);
  add("clock", mhz(samples.after.clock));
  add("memory_clock", mhz(samples.after.memory_clock));
  const auto& heat = samples.after.temperature_c;
  add("temperature", heat ? fmt::format("{:.0f} C", *heat) : "");
  return file;
}

}  // namespace gpucap::calibrate
