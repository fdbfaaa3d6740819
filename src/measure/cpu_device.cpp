#include "gpucap/measure/device.hpp"

#include <algorithm>
#include <fstream>
#include <limits>
#include <malloc.h>
#include <sys/resource.h>
#include <thread>
#include <unistd.h>

#include "cpu/task.hpp"
#include <fmt/format.h>

namespace gpucap::measure {
namespace {

/// The value of the first line "key : value" of /proc/cpuinfo; empty where there is none.
std::string cpu_line(const std::string& key) {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    const std::size_t colon = line.find(": ");
    if (line.starts_with(key) && colon != std::string::npos) return line.substr(colon + 2);
  }
  return "";
}

/// Of the last level; 32 MiB where the system does not say.
Bytes last_level_cache() {
  for (const int level : {_SC_LEVEL4_CACHE_SIZE, _SC_LEVEL3_CACHE_SIZE, _SC_LEVEL2_CACHE_SIZE}) {
    const long bytes = sysconf(level);
    if (bytes > 0) return static_cast<double>(bytes) * unit::byte;
  }
  return 32 * unit::MiB;
}

Bytes physical_memory() {
  return static_cast<double>(sysconf(_SC_PHYS_PAGES)) *
         static_cast<double>(sysconf(_SC_PAGE_SIZE)) * unit::byte;
}

/// How often the system took a processor from this program for another one.
long evictions() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_nivcsw;
}

class CpuDevice : public Device {
 public:
  explicit CpuDevice(int threads)
      : threads_(threads), cache_(last_level_cache()), evictions_(evictions()) {
    // The operands of a task take the memory of the one before: to get pages from the system and
    // give them back takes longer than the kernels.
    mallopt(M_TRIM_THRESHOLD, std::numeric_limits<int>::max());
  }

  [[nodiscard]] DeviceFacts facts() const override {
    DeviceFacts facts;
    facts.kind = "cpu";
    const std::string model = cpu_line("model name");
    facts.name = model.empty() ? "processor" : model;
    facts.runtime = fmt::format("FP32 kernels by Eigen, compiler {}", __VERSION__);
    facts.processors = threads_;
    facts.memory = physical_memory();
    facts.cache = cache_;
    return facts;
  }

  DeviceState state() override {
    DeviceState state;
    const long now = evictions();
    if (now > evictions_) state.throttled = "other programs ran on its cores";
    evictions_ = now;
    return state;
  }

  [[nodiscard]] std::vector<std::string> implementations(const Work& work) const override {
    const bool product = std::holds_alternative<Product>(work);
    if (product && std::get<Product>(work).dtype != Dtype::fp32) return {};
    const bool exchange =
        std::holds_alternative<Transfer>(work) || std::holds_alternative<AllReduce>(work);
    return exchange ? std::vector<std::string>{} : std::vector<std::string>{"eigen"};
  }

  std::unique_ptr<Task> prepare(const Work& work, const std::string&, std::uint64_t seed) override {
    return cpu::make_task(work, threads_, cache_.base(), seed);
  }

 private:
  int threads_;
  Bytes cache_;
  long evictions_;
};

}  // namespace

std::unique_ptr<Device> open_cpu(int threads) {
  return std::make_unique<CpuDevice>(std::max(threads, 1));
}

}  // namespace gpucap::measure
