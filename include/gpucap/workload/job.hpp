#pragma once

#include "gpucap/units/quantity.hpp"
#include "gpucap/units/sim_time.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace gpucap::workload {

/// How fast a job trains on so many GPUs of the recorded kind, at its own global batch.
struct ScalabilityPoint {
  std::int64_t gpus = 0;  ///< at least 1
  Frequency iterations;   ///< optimiser steps over time, above 0

  bool operator==(const ScalabilityPoint&) const = default;
};

/// In ascending order of GPUs, each count once, never empty. Jobs of one kind share their table.
using Scalability = std::vector<ScalabilityPoint>;

/// One training job as a trace records it. Texts are those of the file, empty where it has none.
struct Job {
  std::string id, user, model;
  SimTime submit;                    ///< as the file counts time; dates: since the earliest submit
  std::int64_t gpu_thousandths = 0;  ///< above 0: 460 is 0.46 of one GPU, 4000 are four GPUs
  SimTime duration;  ///< above 0: recorded run time on `gpu_thousandths` of the recorded GPU
  std::optional<SimTime> time_limit = std::nullopt;  ///< absent: unlimited or not recorded
  std::int64_t priority = 0;                         ///< larger goes first
  std::vector<std::string> gpu_models = {};          ///< may run on any of these; empty: on any
  std::optional<std::int64_t> batch_size = std::nullopt;  ///< global, samples per iteration
  std::optional<std::int64_t> iterations = std::nullopt;  ///< within `duration`
  std::optional<std::string> recorded_gpu = std::nullopt;
  std::shared_ptr<const Scalability> scalability = nullptr;  ///< null: not known, not elastic
};

}  // namespace gpucap::workload
