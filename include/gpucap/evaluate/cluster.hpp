#pragma once

#include "gpucap/cluster/simulate.hpp"
#include "gpucap/core/statistics.hpp"
#include "gpucap/evaluate/outcome.hpp"
#include "gpucap/evaluate/terms.hpp"

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace gpucap::evaluate {

/// Rented nodes that are alike, beside what cluster::NodeGroup says of them.
struct RentedGroup {
  std::string gpu;
  account::CardPower power;
  std::optional<account::Price> price;  ///< of one node
};

/// One candidate cluster, ready to be run under a policy.
struct ClusterCase {
  std::string name;
  cluster::ClusterPlan plan;        ///< its policy is replaced by that of the run
  std::vector<RentedGroup> groups;  ///< of the plan's groups, in order
  /// By cluster::JobKind::label and group: watts of one GPU that works on such a job.
  std::vector<std::vector<Watts>> busy_watts;
  std::function<std::unique_ptr<cluster::JobStream>()> jobs;  ///< the same jobs at every call
  double speed_error = 0;  ///< of the speeds that jobs have here; 0: not known
  Terms terms;             ///< without a price of their own
  Outcome::Provenance provenance;
  std::vector<std::string> notes;
};

/// Absent values do not exist. Times of the queue are in simulated seconds.
struct ClusterOutcome {
  std::string name;
  std::int64_t gpus = 0;
  bool unstable = false;
  std::optional<std::string> reason;  ///< why unstable, or why nothing finished
  double speed_error = 0;             ///< relative, of the speeds of jobs; 0: not known

  std::int64_t submitted = 0, finished = 0, refused = 0, given_up = 0, unfinished = 0, cut = 0;
  std::int64_t restarts = 0, resizes = 0, faults = 0;

  Summary queue_s;              ///< first start minus submit, by job
  Summary queue_by_gpu_time_s;  ///< the same, each job as often as it held GPU seconds
  Summary waited_again_s;       ///< in the queue after faults, of jobs that one stopped
  Summary completion_s;         ///< end minus submit
  double makespan_s = 0;
  std::optional<double> asked_gpus;    ///< in use on average if nobody waited
  std::optional<double> offered_load;  ///< the same over all GPUs
  std::optional<double> allocated;     ///< GPU time held by jobs over GPUs x makespan

  /// GPU hours: what jobs held, by what they did with it, and the rest. They add up to
  /// GPUs x makespan.
  struct GpuHours {
    double useful = 0, stalled = 0, lost = 0, saving = 0, restarting = 0, idle = 0, away = 0;
  } gpu_hours;

  struct Cost {
    std::optional<Currency> currency;
    std::optional<double> per_hour, run, per_job, per_useful_gpu_hour;
    std::vector<std::string> offers, notes;
  } cost;

  struct Energy {
    std::optional<double> kwh, mean_w, kwh_per_job, gco2e;
    std::string basis = "assumed";
  } energy;

  Outcome::Provenance provenance;
  std::vector<std::string> notes;
};

/// Runs the jobs through the case under `policy`. All nodes are held from the first submit to the
/// end of the last job. Throws InputError when costs cannot be put into one currency.
ClusterOutcome evaluate(const ClusterCase& one, const cluster::Policy& policy,
                        const std::vector<cluster::Sink*>& extra_sinks = {});

}  // namespace gpucap::evaluate
