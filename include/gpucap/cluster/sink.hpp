#pragma once

#include "gpucap/cluster/gpu_time.hpp"
#include "gpucap/cluster/job.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace gpucap::cluster {

/// Why a job is never queued. Integers of a job that make no sense are a broken invariant instead.
enum class Refusal : std::uint8_t {
  no_group,   ///< no node group runs it
  too_large,  ///< more GPUs than any group that runs it has
};
inline constexpr std::size_t refusal_count = 2;

/// "too_large".
std::string_view name(Refusal refusal);

/// How the life of a job ended.
enum class Ending : std::uint8_t {
  finished,
  given_up,    ///< stopped by more faults than ClusterPlan::max_restarts
  unfinished,  ///< running or waiting when the run was stopped
};

/// Time of a job on one set of GPUs.
struct StayRow {
  const Job& job;
  std::size_t group = 0;
  std::int64_t gpu_thousandths = 0;
  std::size_t nodes = 0;
  SimTime start, end;
  GpuUse use;
};

/// Life of one job.
struct JobRow {
  const Job& job;
  Ending ending = Ending::finished;
  std::optional<SimTime> first_start;  ///< absent: it never ran
  SimTime end;
  SimTime waited_again{};     ///< in the queue after a fault, not in the queueing delay
  std::int64_t restarts = 0;  ///< times that a fault stopped it
  std::int64_t resizes = 0;
  std::size_t group = 0;  ///< of the last stay
  std::size_t nodes = 0;  ///< of the last stay
  bool cut = false;       ///< stopped at its limit
  GpuUse use;             ///< on all groups

  /// Submit to first start.
  [[nodiscard]] std::optional<SimTime> queueing_delay() const {
    if (!first_start) return std::nullopt;
    return SimTime{first_start->ns - job.submit.ns};
  }
};

/// What happened, told while it happens and in order of time.
class Sink {
 public:
  virtual ~Sink() = default;
  /// `queued`: jobs that wait, without this one.
  virtual void submitted(const Job& /*job*/, SimTime /*time*/, std::int64_t /*queued*/) {}
  virtual void refused(const Job& /*job*/, SimTime /*time*/, Refusal /*why*/) {}
  /// For the first time.
  virtual void started(const Job& /*job*/, SimTime /*time*/) {}
  virtual void stayed(const StayRow& /*stay*/) {}
  virtual void ended(const JobRow& /*row*/) {}
};

}  // namespace gpucap::cluster
