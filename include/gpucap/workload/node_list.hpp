#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace gpucap::workload {

/// Equal nodes of a cluster.
struct NodeGroup {
  std::string gpu_model;
  std::int64_t gpus_per_node = 0;
  std::int64_t nodes = 0;

  bool operator==(const NodeGroup&) const = default;
};

struct NodeList {
  std::vector<NodeGroup> groups;  ///< by model, then by GPUs per node
  std::int64_t nodes_without_gpus = 0;
};

/// The node list of Alibaba's 2023 GPU trace (CSV sn, cpu_milli, memory_mib, gpu, model), grouped.
/// InputError with every problem of the file up to twenty.
NodeList read_openb_nodes(const std::filesystem::path& path);

}  // namespace gpucap::workload
