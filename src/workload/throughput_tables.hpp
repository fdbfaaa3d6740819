#pragma once

#include "gpucap/workload/job.hpp"

#include <filesystem>
#include <map>
#include <memory>
#include <string>

namespace gpucap::workload {

/// Tables of iterations per second, MODEL.csv: one row per global batch size, one column per
/// number of GPUs; a blank was not measured. Read when a model is first asked for.
class ThroughputTables {
 public:
  /// InputError when there is no such folder.
  explicit ThroughputTables(std::filesystem::path folder);

  /// Null when the folder has no row for the model and batch size. InputError for a bad table.
  std::shared_ptr<const Scalability> find(const std::string& model, std::int64_t batch_size);

 private:
  using ByBatch = std::map<std::int64_t, std::shared_ptr<const Scalability>>;
  const ByBatch& table(const std::string& model);

  std::filesystem::path folder_;
  std::map<std::string, ByBatch> tables_;
};

}  // namespace gpucap::workload
