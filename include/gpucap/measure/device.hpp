#pragma once

#include "gpucap/measure/work.hpp"
#include "gpucap/units/quantity.hpp"

#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace gpucap::measure {

/// What the driver or the system says of a device.
struct DeviceFacts {
  std::string kind;                ///< "cuda" or "cpu"
  std::string name;                ///< "NVIDIA H200"
  std::string driver;              ///< version; empty on a CPU
  std::string runtime;             ///< CUDA runtime, or compiler of the CPU kernels
  std::string compute_capability;  ///< "9.0"; empty on a CPU
  int processors = 0;              ///< SMs, or threads
  Bytes memory;                    ///< that a program can use
  Bytes cache;                     ///< last level
  std::optional<Frequency> largest_clock;
};

/// How a device is doing now; absent where it does not say.
struct DeviceState {
  std::optional<Frequency> clock, memory_clock;
  std::optional<double> temperature_c;
  std::optional<Watts> power;
  std::string throttled;  ///< why it is slower than it could be ("power cap"); empty: it is not
};

/// Prepared work: operands hold random numbers.
class Task {
 public:
  virtual ~Task() = default;
  /// Mean time of one execution over `repeats` in a row, on the device's own clock where it has
  /// one. Cold: no operand is in the cache when an execution begins, and what it takes to see to
  /// that is not counted.
  virtual Seconds run(Cache cache, int repeats) = 0;
  /// Largest deviation of the last result from a reference worked out in double precision on the
  /// host, over the scale of the reference; of a sample of the results where these are many. 0 for
  /// work without a result.
  virtual double error() = 0;
  /// Largest deviation that the number format explains.
  [[nodiscard]] virtual double tolerance() const = 0;
};

/// A processor that work can be measured on.
class Device {
 public:
  virtual ~Device() = default;
  [[nodiscard]] virtual DeviceFacts facts() const = 0;
  [[nodiscard]] virtual DeviceState state() = 0;
  /// The ways in which it can do the work ("wmma", "cublaslt"), ours first; empty: it cannot.
  [[nodiscard]] virtual std::vector<std::string> implementations(const Work& work) const = 0;
  /// Operands in place, filled from `seed`. Throws Unavailable: too little memory.
  virtual std::unique_ptr<Task> prepare(const Work& work, const std::string& implementation,
                                        std::uint64_t seed) = 0;
};

/// What was asked for is not there; the message says what is missing, for people.
class Unavailable : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// This machine's processor with `threads` threads.
std::unique_ptr<Device> open_cpu(int threads);

/// CUDA device `index`; peers are the devices after it. Throws Unavailable: a build without CUDA,
/// no driver, one that is too old, no such device, or one that these kernels were not built for.
std::unique_ptr<Device> open_cuda(int index);

}  // namespace gpucap::measure
