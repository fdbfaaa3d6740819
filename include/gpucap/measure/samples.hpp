#pragma once

#include "gpucap/measure/device.hpp"
#include "gpucap/measure/work.hpp"

#include <optional>
#include <string>
#include <vector>

namespace gpucap::measure {

/// Times of one piece of work, each the mean of a batch of executions.
struct Sample {
  Work work;
  std::string implementation;
  Cache cache = Cache::cold;
  Seconds time;              ///< median of the batches that count
  Seconds fastest, slowest;  ///< of these
  int batches = 0;           ///< that count
  int discarded = 0;         ///< while the device was throttled
  double error = 0;          ///< Task::error
  std::optional<Watts> power;
};

/// Work that gave no sample.
struct Skipped {
  Work work;
  std::string implementation;
  std::string reason;
};

/// All that one calibration run measured.
struct Samples {
  DeviceFacts device;
  DeviceState before, after;
  std::string date;     ///< of the run, YYYY-MM-DD
  std::string version;  ///< of the program
  Seconds elapsed;
  bool complete = true;  ///< the whole plan was measured
  std::string ended_by;  ///< otherwise: "time limit", "interrupt"
  std::vector<Sample> samples;
  std::vector<Skipped> skipped;
};

}  // namespace gpucap::measure
