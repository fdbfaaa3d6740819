#include "gpucap/calibrate/log_card.hpp"
#include "gpucap/calibrate/power_log.hpp"
#include "gpucap/core/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <span>

#include <fmt/format.h>

namespace gpucap::calibrate {
namespace {

constexpr double most_of_tdp = 1.2;  // boards exceed their limit for moments, and by this at most
constexpr std::size_t fewest = 30;   // steady samples
constexpr double two_states = 0.1;   // of TDP between busy and idle
constexpr std::size_t batches = 10;  // neighbouring samples are alike, their batches less so

using Samples = std::span<const PowerSample>;

std::vector<double> sorted_watts(Samples samples) {
  std::vector<double> watts;
  for (const PowerSample& one : samples) watts.push_back(one.power.in(unit::W));
  std::sort(watts.begin(), watts.end());
  return watts;
}

double mean_of(Samples samples) {
  double sum = 0;
  for (const PowerSample& one : samples) sum += one.power.in(unit::W);
  return sum / static_cast<double>(samples.size());
}

/// The longest run of samples above the threshold, its first and last tenth cut off: rises, falls.
Samples steady_part(Samples all, Watts threshold) {
  Samples longest;
  for (std::size_t first = 0; first < all.size();) {
    std::size_t last = first;
    while (last < all.size() && all[last].power > threshold) ++last;
    if (last - first > longest.size()) longest = all.subspan(first, last - first);
    first = last + 1;
  }
  const std::size_t tenth = longest.size() / 10;
  return longest.subspan(tenth, longest.size() - 2 * tenth);
}

/// Standard error of the mean, from the means of batches.
double error_of_mean(Samples samples) {
  const std::size_t size = samples.size() / batches;
  const double mean = mean_of(samples);
  double sum = 0;
  for (std::size_t i = 0; i < batches; ++i) {
    sum += std::pow(mean_of(samples.subspan(i * size, size)) - mean, 2);
  }
  return std::sqrt(sum / (batches * (batches - 1)));
}

void refuse_impossible(const PowerLog& log, const hardware::Gpu& gpu) {
  std::vector<Problem> problems;
  if (!log.name.empty() && !is_named(gpu, log.name)) {
    problems.push_back({log.file, "", "name",
                        fmt::format("is of \"{}\", but --gpu is {}", log.name, gpu.id),
                        "other-card"});
  }
  const Watts most = most_of_tdp * gpu.tdp;
  const auto above = [&](const PowerSample& one) { return one.power > most; };
  const auto found = std::find_if(log.samples.begin(), log.samples.end(), above);
  if (found != log.samples.end()) {
    problems.push_back(
        {log.file, fmt::format("{}:1", found->line), "power.draw",
         fmt::format("{:g} W is above {:g} times the {:g} W of {}; {} lines are",
                     found->power.in(unit::W), most_of_tdp, gpu.tdp.in(unit::W), gpu.id,
                     std::count_if(log.samples.begin(), log.samples.end(), above)),
         "impossible"});
  }
  if (!problems.empty()) throw InputError(std::move(problems));
}

perf::Calibration::Power refitted(const PowerLog& log, const PowerFit& fit,
                                  const hardware::Gpu& gpu, const PowerLoad& load) {
  perf::Calibration::Power power = fit.before;
  const double share = fit.active / gpu.tdp;
  const double added = power.compute * load.compute + power.memory * load.memory;
  power.active_floor = share - added;
  if (!(power.active_floor > 0) || power.active_floor > 1) {
    throw InputError(Problem{
        log.file, "", "power.draw",
        fmt::format("{:.3g} of TDP while busy, of which compute {:g} and memory {:g} alone add "
                    "{:.3g}: the stated load cannot be that of the log",
                    share, load.compute, load.memory, added),
        "impossible"});
  }
  power.assumed = false;
  power.origin.source = fmt::format(
      "active floor: {} samples of nvidia-smi over {:.4g} s at {:g} of the peak and {:g} of the "
      "bandwidth; compute, memory and spread as before: {}",
      fit.samples, fit.lasted.in(unit::s), load.compute, load.memory, fit.before.origin.source);
  return power;
}

}  // namespace

PowerFit fit_power(const PowerLog& log, const hardware::Gpu& gpu, const PowerLoad& load,
                   const perf::Calibration::Power& in_force) {
  refuse_impossible(log, gpu);
  const auto watts = sorted_watts(log.samples);
  const double low = nearest_rank(watts, 5), high = nearest_rank(watts, 95);
  const bool both = (high - low) * unit::W > two_states * gpu.tdp;
  const Watts threshold = both ? (low + high) / 2 * unit::W : Watts{};
  const Samples steady = steady_part(log.samples, threshold);
  if (steady.size() < fewest) {
    throw InputError(Problem{
        log.file, "", "power.draw",
        fmt::format("{} samples in a steady state are too few: at least {}", steady.size(), fewest),
        "too-few-samples"});
  }
  PowerFit fit;
  fit.samples = static_cast<std::int64_t>(steady.size());
  fit.active = mean_of(steady) * unit::W;
  fit.standard_error = error_of_mean(steady) * unit::W;
  fit.lasted = steady.back().at - steady.front().at;
  if (both) fit.idle = low * unit::W;
  fit.before = in_force;
  fit.after = refitted(log, fit, gpu, load);
  return fit;
}

}  // namespace gpucap::calibrate
