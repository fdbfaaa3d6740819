#include "gpucap/measure/device.hpp"

#include <algorithm>

#include "card.hpp"
#include "cublaslt.hpp"
#include "nvml.hpp"
#include "resources.hpp"
#include "tasks.hpp"
#include <fmt/format.h>

namespace gpucap::measure {

namespace cuda {
namespace {

class CudaDevice : public Device {
 public:
  explicit CudaDevice(const Card& card) : card_(card), nvml_(card.bus_id), lt_(CublasLt::find()) {}

  [[nodiscard]] DeviceFacts facts() const override {
    DeviceFacts facts;
    facts.kind = "cuda";
    facts.name = card_.name;
    facts.driver = nvml_.driver();
    facts.runtime = fmt::format("CUDA {}.{}", CUDART_VERSION / 1000, CUDART_VERSION % 1000 / 10);
    facts.compute_capability = fmt::format("{}.{}", card_.capability / 10, card_.capability % 10);
    facts.processors = card_.processors;
    facts.memory = static_cast<double>(card_.memory) * unit::byte;
    facts.cache = static_cast<double>(card_.l2) * unit::byte;
    facts.largest_clock = nvml_.largest_clock();
    return facts;
  }
  [[nodiscard]] DeviceState state() override { return nvml_.state(); }

  [[nodiscard]] std::vector<std::string> implementations(const Work& work) const override {
    use_device(card_.index);
    return std::visit([this](const auto& one) { return names_of(one); }, work);
  }
  std::unique_ptr<Task> prepare(const Work& work, const std::string& implementation,
                                std::uint64_t seed) override {
    const std::vector<std::string> names = implementations(work);
    if (std::find(names.begin(), names.end(), implementation) == names.end()) {
      throw Unavailable(
          fmt::format("{} does not do this work by \"{}\"", card_.name, implementation));
    }
    return std::visit([&](const auto& one) { return task_of(one, implementation, seed); }, work);
  }

 private:
  template <class Kind>
  [[nodiscard]] Names names_of(const Kind& work) const {
    return cuda::implementations(card_, work);
  }
  [[nodiscard]] Names names_of(const Product& work) const {
    return cuda::implementations(card_, lt_.get(), work);
  }
  template <class Kind>
  TaskOwner task_of(const Kind& work, const std::string&, std::uint64_t seed) const {
    return cuda::prepare(card_, work, seed);
  }
  [[nodiscard]] TaskOwner task_of(const Product& work, const std::string& implementation,
                                  std::uint64_t seed) const {
    return cuda::prepare(card_, lt_.get(), work, implementation, seed);
  }

  Card card_;
  Nvml nvml_;
  std::unique_ptr<CublasLt> lt_;
};

}  // namespace
}  // namespace cuda

std::unique_ptr<Device> open_cuda(int index) {
  return std::make_unique<cuda::CudaDevice>(cuda::find_card(index));
}

}  // namespace gpucap::measure
