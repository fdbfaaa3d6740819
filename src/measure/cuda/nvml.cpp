#include "nvml.hpp"

#include <memory>

namespace gpucap::measure::cuda {

namespace {

// From the interface of NVML, which has kept these since 2012.
using Handle = void*;
constexpr int success = 0, sm_clock = 1, memory_clock = 2, core_temperature = 0;

}  // namespace

struct Nvml::Functions {
  Handle card = nullptr;
  int (*init)() = nullptr;
  int (*shutdown)() = nullptr;
  int (*driver_version)(char*, unsigned) = nullptr;
  int (*handle)(const char*, Handle*) = nullptr;
  int (*clock)(Handle, int, unsigned*) = nullptr;
  int (*largest_clock)(Handle, int, unsigned*) = nullptr;
  int (*temperature)(Handle, int, unsigned*) = nullptr;
  int (*power)(Handle, unsigned*) = nullptr;
  int (*throttle_reasons)(Handle, unsigned long long*) = nullptr;

  explicit Functions(const Library& library) {
    library.bind(init, "nvmlInit_v2");
    library.bind(shutdown, "nvmlShutdown");
    library.bind(driver_version, "nvmlSystemGetDriverVersion");
    library.bind(handle, "nvmlDeviceGetHandleByPciBusId_v2");
    library.bind(clock, "nvmlDeviceGetClockInfo");
    library.bind(largest_clock, "nvmlDeviceGetMaxClockInfo");
    library.bind(temperature, "nvmlDeviceGetTemperature");
    library.bind(power, "nvmlDeviceGetPowerUsage");
    library.bind(throttle_reasons, "nvmlDeviceGetCurrentClocksThrottleReasons");
    if (throttle_reasons == nullptr) {
      library.bind(throttle_reasons, "nvmlDeviceGetCurrentClocksEventReasons");
    }
  }

  /// Whether the library works and knows the card; otherwise it is closed again.
  bool open(const std::string& bus_id) {
    if (init == nullptr || shutdown == nullptr || handle == nullptr) return false;
    if (init() != success) return false;
    if (handle(bus_id.c_str(), &card) == success) return true;
    shutdown();
    return false;
  }
  [[nodiscard]] std::optional<Frequency> clock_of(int (*call)(Handle, int, unsigned*),
                                                  int domain) const {
    unsigned mhz = 0;
    if (call == nullptr || call(card, domain, &mhz) != success) return std::nullopt;
    return mhz * unit::MHz;
  }
};

Nvml::Nvml(const std::string& bus_id) : library_(Library::find({"libnvidia-ml.so.1"})) {
  if (!library_) return;
  functions_ = std::make_unique<Functions>(*library_);
  if (!functions_->open(bus_id)) functions_.reset();
}

Nvml::~Nvml() {
  if (functions_) functions_->shutdown();
}

std::string Nvml::driver() const {
  char text[96] = {};
  const bool known = functions_ && functions_->driver_version != nullptr &&
                     functions_->driver_version(text, sizeof(text)) == success;
  return known ? text : "";
}

std::optional<Frequency> Nvml::largest_clock() const {
  if (!functions_) return std::nullopt;
  return functions_->clock_of(functions_->largest_clock, sm_clock);
}

DeviceState Nvml::state() const {
  DeviceState state;
  if (!functions_) return state;
  const Functions& f = *functions_;
  state.clock = f.clock_of(f.clock, sm_clock);
  state.memory_clock = f.clock_of(f.clock, memory_clock);
  unsigned value = 0;
  unsigned long long reasons = 0;
  if (f.temperature != nullptr && f.temperature(f.card, core_temperature, &value) == success) {
    state.temperature_c = value;
  }
  if (f.power != nullptr && f.power(f.card, &value) == success) {
    state.power = value * 1e-3 * unit::W;
  }
  if (f.throttle_reasons != nullptr && f.throttle_reasons(f.card, &reasons) == success) {
    state.throttled = throttle_text(reasons);
  }
  return state;
}

std::string throttle_text(unsigned long long reasons) {
  struct Reason {
    unsigned long long bit;
    const char* text;
  };
  constexpr Reason known[] = {{0x4, "power cap"},
                              {0x8, "hardware slowdown"},
                              {0x20, "too hot"},
                              {0x40, "too hot (hardware)"},
                              {0x80, "power brake"}};
  std::string text;
  for (const Reason& reason : known) {
    if ((reasons & reason.bit) == 0) continue;
    if (!text.empty()) text += ", ";
    text += reason.text;
  }
  return text;
}

}  // namespace gpucap::measure::cuda
