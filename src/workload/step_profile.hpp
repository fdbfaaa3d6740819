#pragma once

#include "gpucap/units/quantity.hpp"
#include "gpucap/workload/job.hpp"

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>

namespace gpucap::workload {

/// Measured step times of one application of the Pollux artefact, by number of GPUs packed on as
/// few nodes of four as hold them, and by samples per GPU.
class StepProfile {
 public:
  /// Reads APPLICATION-placements.csv and APPLICATION-scalability.csv, those that are there.
  /// InputError for bad rows.
  StepProfile(const std::filesystem::path& folder, const std::string& application);

  /// Time of one optimiser step at a global batch. A share per GPU beyond the largest one measured
  /// is split into equal accumulation steps that exchange nothing but at the end; between two
  /// measured shares it is interpolated, below the smallest it takes as long as that. Nothing when
  /// this number of GPUs was not measured.
  [[nodiscard]] std::optional<Seconds> step(std::int64_t gpus, std::int64_t batch_size) const;

  /// All measured numbers of GPUs up to one per sample; null when there is none.
  [[nodiscard]] std::shared_ptr<const Scalability> scalability(std::int64_t batch_size) const;

 private:
  struct Time {
    Seconds step, exchange;
  };
  using ByShare = std::map<std::int64_t, Time>;

  void read_placements(const std::filesystem::path& file);
  void read_scalability(const std::filesystem::path& file);
  static Time at(const ByShare& times, double share);

  std::map<std::int64_t, ByShare> by_gpus_;
};

}  // namespace gpucap::workload
