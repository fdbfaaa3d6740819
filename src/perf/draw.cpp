#include "gpucap/perf/draw.hpp"

#include "gpucap/core/random.hpp"

#include <algorithm>
#include <cmath>

#include "draw_coefficients.hpp"
#include <fmt/format.h>

namespace gpucap::perf {
namespace {

constexpr double half_of_middle_80_percent = 1.2815515655446004;  // normal quantile of 0.9
constexpr double cut = 3;  // deviations; further out a fit says nothing

/// Same name, same draw, same number.
void draw_part(FitOrigin& origin, const std::string& part, const std::string& gpu, double lab,
               const Draw& draw) {
  double deviation = lab;
  if (origin.quality) {
    deviation += origin.quality->spread * draw.normal(fmt::format("fit {} {}", origin.file, part));
  }
  deviation += origin.transfer_spread * draw.normal(fmt::format("transfer {} {}", gpu, part));
  origin.factor = std::exp(deviation);
}

void draw_all_coefficients(Calibration& fits, const Draw& draw) {
  draw_coefficients(fits.gemm, gemm_coefficients(), fits.gemm_origin, "gemm", draw);
  draw_coefficients(fits.prefill, prefill_coefficients(), fits.prefill_origin, "prefill", draw);
  draw_coefficients(fits.decode, decode_coefficients(), fits.decode_origin, "decode", draw);
  if (fits.mixed) {
    draw_coefficients(*fits.mixed, mixed_coefficients(), fits.mixed_origin, "mixed", draw);
  }
  draw_coefficients(fits.sampler, sampler_coefficients(), fits.sampler_origin, "sampler", draw);
}

template <class Q>
void draw_term(Q& value, const EngineProfile& engine, const std::string& name, const Draw& draw) {
  const auto found = engine.intervals.find(name);
  if (found == engine.intervals.end()) return;
  const auto [low, high] = found->second;
  const double z = draw.normal(fmt::format("engine {} {}", engine.id, name));
  const double reach = z > 0 ? high - value.base() : value.base() - low;
  value = Q::from_base(std::max(0.0, value.base() + z * reach / half_of_middle_80_percent));
}

}  // namespace

double Draw::normal(std::string_view name) const {
  RandomStream stream(seed, fmt::format("draw {} {}", index, name));
  return std::clamp(stream.normal(), -cut, cut);
}

std::uint64_t Draw::workload_seed() const {
  return RandomStream(seed, fmt::format("workload of draw {}", index)).bits();
}

double systematic_spread(const FitOrigin& origin) {
  return std::hypot(origin.quality ? origin.quality->spread : 0.0, origin.transfer_spread);
}

double systematic_spread(const CollectiveFit& fit) {
  return std::hypot(systematic_spread(fit.origin), fit.interval / half_of_middle_80_percent);
}

Calibration drawn(Calibration calibration, const std::string& gpu, const Draw& draw) {
  const std::string& measured_on = calibration.gemm_origin.card;
  const double lab = calibration.between_labs * draw.normal("card " + measured_on);
  draw_all_coefficients(calibration, draw);
  for (const auto& [part, origin] : parts_of(calibration)) {
    draw_part(*origin, part, gpu, lab, draw);
  }
  for (auto& [kernels, fit] : calibration.formats) {
    draw_part(fit.origin, std::string(models::name(kernels)), gpu, lab, draw);
  }
  if (calibration.experts) draw_part(calibration.experts->origin, "experts", gpu, lab, draw);
  draw_part(calibration.power.origin, "power", gpu, 0, draw);
  return calibration;
}

CollectiveFit drawn(CollectiveFit fit, const Draw& draw) {
  const double z = draw.normal(fmt::format("link {} {}", fit.host, fit.ranks));
  fit.origin.factor = std::exp(systematic_spread(fit) * z);
  return fit;
}

EngineProfile drawn(EngineProfile engine, const Draw& draw) {
  auto& host = engine.host;
  draw_term(host.gap, engine, "host.gap", draw);
  draw_term(host.gap_per_sequence, engine, "host.gap_per_sequence", draw);
  draw_term(host.floor_per_layer, engine, "host.floor_per_layer", draw);
  draw_term(host.per_sequence, engine, "host.per_sequence", draw);
  draw_term(host.front_end, engine, "host.front_end", draw);
  auto& memory = engine.memory;
  draw_term(memory.non_torch_single, engine, "memory.non_torch_single", draw);
  draw_term(memory.non_torch_parallel, engine, "memory.non_torch_parallel", draw);
  draw_term(memory.non_torch_pcie, engine, "memory.non_torch_pcie", draw);
  draw_term(memory.cuda_context, engine, "memory.cuda_context", draw);
  draw_term(memory.graphs, engine, "memory.graphs", draw);
  return engine;
}

}  // namespace gpucap::perf
