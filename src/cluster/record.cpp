#include "gpucap/cluster/simulate.hpp"

#include <numeric>

namespace gpucap::cluster {

std::string_view name(Refusal refusal) {
  return refusal == Refusal::no_group ? "no_group" : "too_large";
}

std::int64_t ClusterPlan::gpus() const {
  std::int64_t sum = 0;
  for (const NodeGroup& group : groups) sum += group.gpus();
  return sum;
}

std::int64_t ClusterRecord::all_refused() const {
  return std::accumulate(refused.begin(), refused.end(), std::int64_t{0});
}

GpuUse ClusterRecord::use() const {
  GpuUse sum;
  for (const GroupRecord& group : groups) sum += group.use;
  return sum;
}

std::optional<double> ClusterRecord::asked_gpus() const {
  if (last_submit <= first_submit) return std::nullopt;
  return asked.gpu_seconds() / as_seconds(SimTime{last_submit.ns - first_submit.ns});
}

std::optional<double> ClusterRecord::offered_load() const {
  const auto in_use = asked_gpus();
  if (!in_use) return std::nullopt;
  return *in_use / static_cast<double>(gpus);
}

std::optional<double> ClusterRecord::allocated_share() const {
  const GpuTime all = GpuTime::of(gpus * whole_gpu, makespan());
  if (all <= GpuTime{}) return std::nullopt;
  return use().held().gpu_seconds() / all.gpu_seconds();
}

}  // namespace gpucap::cluster
