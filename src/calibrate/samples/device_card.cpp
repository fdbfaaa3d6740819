#include "gpucap/calibrate/log_card.hpp"
#include "gpucap/calibrate/samples_fit.hpp"

#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace gpucap::calibrate {
namespace {

/// Chip and memory: what few products share.
bool same_chip(const measure::DeviceFacts& device, const hardware::Gpu& gpu) {
  const double memory = device.memory / gpu.memory_visible;
  return device.compute_capability == gpu.compute_capability && device.processors == gpu.sm_count &&
         std::fabs(memory - 1) < 0.04;
}

[[noreturn]] void fail(std::string message, const char* code) {
  throw InputError(Problem{"", "", "--gpu", std::move(message), code});
}

const hardware::Gpu& asked_card(const measure::DeviceFacts& device, const catalog::GpuBook& gpus,
                                const std::string& asked) {
  const hardware::Gpu* gpu = gpus.find(asked);
  if (gpu == nullptr) fail(gpus.unknown(asked), "unknown-name");
  if (!same_chip(device, *gpu)) {
    fail(fmt::format(
             "the samples are of {} ({}, {} multiprocessors, {:.1f} GiB), and {} has {}, {} "
             "and {:.1f} GiB",
             device.name, device.compute_capability, device.processors, device.memory.in(unit::GiB),
             gpu->id, gpu->compute_capability, gpu->sm_count, gpu->memory_visible.in(unit::GiB)),
         "spec-mismatch");
  }
  return *gpu;
}

}  // namespace

const hardware::Gpu& card_of(const measure::DeviceFacts& device, const catalog::GpuBook& gpus,
                             const std::string& asked) {
  if (!asked.empty()) return asked_card(device, gpus, asked);
  std::vector<const hardware::Gpu*> found;
  for (const hardware::Gpu& gpu : gpus.all()) {
    if (same_chip(device, gpu) && is_named(gpu, device.name)) found.push_back(&gpu);
  }
  if (found.size() == 1) return *found.front();
  if (found.empty()) {
    fail(fmt::format("no known card is {} ({}, {} multiprocessors, {:.1f} GiB): add its spec sheet "
                     "(docs/EXTENDING.md), or name it where only its figures differ",
                     device.name, device.compute_capability, device.processors,
                     device.memory.in(unit::GiB)),
         "unknown-name");
  }
  std::vector<std::string> ids;
  for (const hardware::Gpu* gpu : found) ids.push_back(gpu->id);
  fail(fmt::format("{} may be {}: name it", device.name, fmt::join(ids, " or ")), "ambiguous-name");
}

}  // namespace gpucap::calibrate
