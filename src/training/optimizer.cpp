#include "gpucap/training/optimizer.hpp"

#include "gpucap/training/exchange.hpp"

#include <algorithm>

#include "kernel_sum.hpp"
#include "states.hpp"

namespace gpucap::training {
namespace {

/// Weights read and written: fp32 master read and written and 16-bit ones written, or one copy.
double weight_bytes_moved(Weights weights) {
  switch (weights) {
    case Weights::mixed:
      return 4 + 4 + 2;
    case Weights::pure:
      return 2 + 2;
    case Weights::amp:
    case Weights::full:
      return 4 + 4;
  }
  return 0;
}

double gradient_bytes(const Settings& settings) {
  return bits(settings.gradients) / 8.0;
}

/// 28 bytes a weight over the memory of the host: Adam in fp32, gradient and weight in 16 bits.
Seconds host_update(const Question& question, double trained) {
  constexpr double host_bytes = 28;
  const hardware::HostLayout& host = question.node.host.layout;
  const int cards = std::min(question.node.count, cards_per_machine(question.node));
  const int sockets = std::min(
      host.sockets, (cards + host.gpus_per_socket - 1) / std::max(1, host.gpus_per_socket));
  const double share = question.calibration.links.of(hardware::Wire::memory, false).efficiency;
  return host_bytes * trained * cards * unit::byte / (host.host_memory * (share * sockets));
}

}  // namespace

double update_bytes_per_weight(const Settings& settings) {
  return gradient_bytes(settings) + weight_bytes_moved(settings.weights) +
         2 * moment_bytes(settings);
}

Bandwidth host_link(const Question& question) {
  const hardware::HostLayout& host = question.node.host.layout;
  const int sharing = std::clamp(host.gpus_per_switch, 1, std::max(1, question.node.count));
  const double share = question.calibration.links.of(hardware::Wire::pcie, false).efficiency;
  return hardware::per_direction(host.pcie) * (share / sharing);
}

Update weight_update(const Question& question, double trained) {
  const Settings& settings = question.settings;
  Update update;
  if (trained <= 0) return update;
  if (settings.offload != Offload::none) {
    const double down_and_up = gradient_bytes(settings) + 2;
    update.copies = down_and_up * trained * unit::byte / host_link(question);
    update.card = waiting(perf::Cause::host, host_update(question, trained));
    return update;
  }
  const Bandwidth rate = question.calibration.gemm.eb * question.node.gpu.memory_bandwidth;
  update.card = streamed(update_bytes_per_weight(settings) * trained * unit::byte, rate);
  if (settings.optimizer == Optimizer::adamw_8bit_paged) {
    const double paged = 2 * moment_bytes(settings);  // there and back
    update.copies = paged * trained * unit::byte / host_link(question);
  }
  return update;
}

}  // namespace gpucap::training
