#pragma once

#include "gpucap/units/sim_time.hpp"
#include "gpucap/workload/job.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace gpucap::cluster {

/// How a job saves its state. Without it a failure takes all that was done.
struct Checkpointing {
  SimTime write;  ///< that the job stands still for; 0 for a save that is wholly in the background
  /// Working time between two writes; absent: Daly's for the faults of the nodes that it holds, and
  /// no checkpoint at all where nothing fails.
  std::optional<SimTime> interval = std::nullopt;
  bool operator==(const Checkpointing&) const = default;
};

/// What jobs of one kind have in common; shared by them.
struct JobKind {
  /// By node group: recorded run time over run time there, on as many GPUs; 0: may not run there.
  std::vector<double> speed;
  /// Null: not elastic. Relative to the entry for the job's own number of GPUs.
  std::shared_ptr<const workload::Scalability> scaling = nullptr;
  std::optional<Checkpointing> checkpoint = std::nullopt;
  SimTime restart{};        ///< whenever it gets GPUs again, before it works
  std::uint32_t label = 0;  ///< for whoever made the jobs; kinds of different labels are told apart
  double stall_share = 0;   ///< of working time spent waiting for data on top of the record; [0, 1)
  bool operator==(const JobKind&) const = default;
};

struct Job {
  std::string id;
  SimTime submit;
  std::int64_t gpu_thousandths = 0;             ///< a part of one GPU, or whole GPUs
  SimTime work;                                 ///< run time on the recorded GPU
  std::optional<SimTime> limit = std::nullopt;  ///< estimate on the recorded GPU; absent: `work`
  std::int64_t priority = 0;                    ///< larger goes first
  std::shared_ptr<const JobKind> kind;

  [[nodiscard]] SimTime estimate() const { return limit.value_or(work); }
};

/// Jobs by submit time, one after the other.
class JobStream {
 public:
  virtual ~JobStream() = default;
  virtual std::optional<Job> next() = 0;
};

/// A part of one GPU, or whole ones; a share above one GPU counts as the next whole number.
constexpr std::int64_t gang_of(std::int64_t thousandths) {
  return thousandths <= 1000 ? thousandths : (thousandths + 999) / 1000 * 1000;
}

}  // namespace gpucap::cluster
