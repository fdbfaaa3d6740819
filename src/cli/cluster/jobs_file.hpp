#pragma once

#include "gpucap/cluster/sink.hpp"
#include "gpucap/evaluate/cluster.hpp"

#include <filesystem>
#include <fstream>
#include <string>

namespace gpucap::cli {

/// jobs.csv, written while jobs end. Energy is that of the GPUs at work on the group where the job
/// ended.
class JobsFile final : public cluster::Sink {
 public:
  explicit JobsFile(const std::filesystem::path& path);
  /// The rows that follow are of this candidate, which must outlive them.
  void begin(const std::string& policy, const evaluate::ClusterCase& one);
  void ended(const cluster::JobRow& row) override;
  /// InputError when the file could not be written whole.
  void close();

 private:
  std::filesystem::path path_;
  std::ofstream out_;
  std::string policy_, candidate_;
  const evaluate::ClusterCase* case_ = nullptr;
};

}  // namespace gpucap::cli
