#include "card.hpp"

#include "gpucap/measure/device.hpp"

#include "errors.hpp"
#include "kernels/kernels.hpp"
#include "library.hpp"
#include "resources.hpp"
#include <fmt/format.h>

namespace gpucap::measure::cuda {

namespace {

/// 12040 is version 12.4.
std::string version_text(int version) {
  return fmt::format("{}.{}", version / 1000, version % 1000 / 10);
}

int count_cards() {
  if (!Library::find({"libcuda.so.1"})) {
    throw Unavailable("no NVIDIA driver is loaded (libcuda.so.1 not found)");
  }
  int count = 0, driver = 0;
  const cudaError_t result = cudaGetDeviceCount(&count);
  if (result == cudaErrorInsufficientDriver) {
    cudaDriverGetVersion(&driver);
    throw Unavailable(
        fmt::format("the NVIDIA driver is too old: it knows CUDA {}, this build needs {}",
                    version_text(driver), version_text(CUDART_VERSION)));
  }
  if (result != cudaSuccess && result != cudaErrorNoDevice) {
    throw Unavailable(fmt::format("the NVIDIA driver does not work: cudaGetDeviceCount: {}",
                                  cudaGetErrorString(result)));
  }
  if (count == 0) throw Unavailable("the NVIDIA driver shows no device");
  return count;
}

void require_kernels(const Card& card) {
  const cudaError_t result = find_kernels();
  if (result == cudaSuccess) return;
  cudaGetLastError();
  throw Unavailable(
      fmt::format("{} has compute capability {}.{}, and this build has kernels for {} only ({})",
                  card.name, card.capability / 10, card.capability % 10, GPUCAP_CUDA_ARCHITECTURES,
                  cudaGetErrorString(result)));
}

}  // namespace

Card find_card(int index) {
  const int count = count_cards();
  if (index < 0 || index >= count) {
    throw Unavailable(
        count == 1 ? fmt::format("there is no cuda:{}, only cuda:0", index)
                   : fmt::format("there is no cuda:{}, only cuda:0 to cuda:{}", index, count - 1));
  }
  cudaDeviceProp properties{};
  check(cudaGetDeviceProperties(&properties, index), "cudaGetDeviceProperties");
  char bus_id[32] = {};
  check(cudaDeviceGetPCIBusId(bus_id, sizeof(bus_id), index), "cudaDeviceGetPCIBusId");
  const Card card = {.index = index,
                     .count = count,
                     .name = properties.name,
                     .bus_id = bus_id,
                     .capability = 10 * properties.major + properties.minor,
                     .processors = properties.multiProcessorCount,
                     .memory = static_cast<std::int64_t>(properties.totalGlobalMem),
                     .l2 = properties.l2CacheSize};
  use_device(index);
  require_kernels(card);
  return card;
}

}  // namespace gpucap::measure::cuda
