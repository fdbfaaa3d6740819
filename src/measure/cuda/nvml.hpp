#pragma once

#include "gpucap/measure/device.hpp"

#include <string>

#include "library.hpp"

namespace gpucap::measure::cuda {

/// NVIDIA's management library, which comes with the driver. Where it or one of its functions is
/// absent, so is what it would have said.
class Nvml {
 public:
  /// The card with this PCI bus id.
  explicit Nvml(const std::string& bus_id);
  ~Nvml();
  Nvml(const Nvml&) = delete;
  Nvml& operator=(const Nvml&) = delete;

  [[nodiscard]] std::string driver() const;  ///< version; empty: not known
  [[nodiscard]] std::optional<Frequency> largest_clock() const;
  [[nodiscard]] DeviceState state() const;

 private:
  struct Functions;

  std::optional<Library> library_;
  std::unique_ptr<Functions> functions_;  ///< none: no library, or it does not know the card
};

/// What slows a card down, by the bits that NVML reports; empty: nothing does. Idle clocks and
/// clocks that somebody set are not throttling.
std::string throttle_text(unsigned long long reasons);

}  // namespace gpucap::measure::cuda
