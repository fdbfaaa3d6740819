#pragma once

#include "gpucap/cluster/job.hpp"
#include "gpucap/scenario/cluster.hpp"
#include "gpucap/units/quantity.hpp"
#include "gpucap/workload/job.hpp"

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

namespace gpucap::scenario {

/// How fast recorded jobs run on the node groups of one candidate, against the GPU on which they
/// were recorded: the ratio of two simulated steps of the job's model with the job's own batch on
/// as many GPUs, or what the scenario states. Worked out once for each model, batch, number of
/// GPUs and recorded time of a step. Candidate, jobs and library must outlive this.
class JobSpeeds {
 public:
  JobSpeeds(const ClusterCandidate& candidate, const RecordedJobs& jobs,
            const cluster::JobKind& habits, Library& library);

  [[nodiscard]] cluster::JobKind kind_of(const workload::Job& job);
  /// By label of a kind and group: watts of one GPU at work.
  [[nodiscard]] const std::vector<std::vector<Watts>>& watts() const { return watts_; }
  /// The ratios in words: "resnet-50 on rtx-4090: 0.82 of a100-sxm-80gb".
  [[nodiscard]] std::vector<std::string> notes() const;
  /// Error of the least known of the steps behind the ratios; 0: none is known.
  [[nodiscard]] double error() const { return error_; }

 private:
  using Key = std::tuple<std::string, std::int64_t, std::int64_t, std::string, std::int64_t>;
  struct OnGroup {
    double speed = 0;
    Watts watts;
  };
  [[nodiscard]] cluster::JobKind worked_out(const workload::Job& job);
  [[nodiscard]] OnGroup on_group(const workload::Job& job, const JobModel& model,
                                 const NodesToRent& nodes);
  [[nodiscard]] OnGroup timed(const workload::Job& job, const JobModel::Timed& model,
                              const NodesToRent& nodes);
  [[nodiscard]] OnGroup stated(const JobModel::Rated& model, const NodesToRent& nodes);
  [[nodiscard]] OnGroup rated(const workload::Job& job, const NodesToRent& nodes);
  /// The GPU of the record; null, and a doubt, where it is not named or not known.
  [[nodiscard]] const hardware::Gpu* recorded(const workload::Job& job);
  void note_unknown(const std::vector<std::string>& allowed);
  [[nodiscard]] Watts half_power(const hardware::Gpu& gpu);
  void tell(const workload::Job& job, const NodesToRent& nodes, const OnGroup& found);

  const ClusterCandidate* candidate_;
  const RecordedJobs* jobs_;
  cluster::JobKind habits_;
  Library* library_;
  std::map<Key, cluster::JobKind> kinds_;
  std::vector<std::vector<Watts>> watts_;
  /// By model and GPU: least and greatest ratio.
  std::map<std::pair<std::string, std::string>, std::pair<double, double>> told_;
  std::map<std::string, std::string> ranges_;  ///< of rated models, in words
  std::set<std::string> doubts_;               ///< what was taken for granted, each once
  double error_ = 0;
};

}  // namespace gpucap::scenario
