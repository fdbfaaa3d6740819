#pragma once

#include "gpucap/cluster/simulate.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

/// Small clusters and jobs for tests; times in whole seconds.
namespace gpucap::test {

constexpr SimTime seconds(std::int64_t s) {
  return {s * 1'000'000'000};
}

/// Exact for whole seconds.
constexpr double whole_s(SimTime time) {
  return static_cast<double>(time.ns) / 1e9;
}

inline std::shared_ptr<const cluster::JobKind> plain_kind(std::vector<double> speed = {1}) {
  cluster::JobKind kind;
  kind.speed = std::move(speed);
  return std::make_shared<const cluster::JobKind>(kind);
}

inline const std::shared_ptr<const cluster::JobKind> one_kind = plain_kind();

/// A job of whole GPUs with an exact estimate, of the same kind as others unless told.
inline cluster::Job job(const std::string& id, std::int64_t submit_s, std::int64_t gpus,
                        std::int64_t work_s,
                        std::shared_ptr<const cluster::JobKind> kind = one_kind) {
  cluster::Job one;
  one.id = id;
  one.submit = seconds(submit_s);
  one.gpu_thousandths = gpus * 1000;
  one.work = seconds(work_s);
  one.kind = std::move(kind);
  return one;
}

class ListedJobs final : public cluster::JobStream {
 public:
  explicit ListedJobs(std::vector<cluster::Job> jobs) : jobs_(std::move(jobs)) {}
  std::optional<cluster::Job> next() override {
    if (at_ == jobs_.size()) return std::nullopt;
    return jobs_[at_++];
  }

 private:
  std::vector<cluster::Job> jobs_;
  std::size_t at_ = 0;
};

/// What one job did, in seconds; `starts` has every stay.
struct JobStory {
  std::string id;
  cluster::Ending ending = cluster::Ending::finished;
  std::vector<double> starts;
  std::vector<std::int64_t> gpu_thousandths;
  double end = 0, waited_again = 0;
  std::int64_t restarts = 0, resizes = 0;
  std::size_t group = 0, nodes = 0;
  cluster::GpuUse use;
  bool operator==(const JobStory&) const = default;
};

/// Keeps the stories of all jobs in order of their ends.
class Stories final : public cluster::Sink {
 public:
  void started(const cluster::Job& one, SimTime) override { order.push_back(one.id); }
  void refused(const cluster::Job&, SimTime, cluster::Refusal why) override {
    refusals.push_back(why);
  }
  void stayed(const cluster::StayRow& stay) override {
    JobStory& story = open(stay.job.id);
    story.starts.push_back(whole_s(stay.start));
    story.gpu_thousandths.push_back(stay.gpu_thousandths);
  }
  void ended(const cluster::JobRow& row) override {
    JobStory& story = open(row.job.id);
    story.ending = row.ending;
    story.end = whole_s(row.end);
    story.waited_again = whole_s(row.waited_again);
    story.restarts = row.restarts;
    story.resizes = row.resizes;
    story.group = row.group;
    story.nodes = row.nodes;
    story.use = row.use;
  }

  [[nodiscard]] const JobStory& of(const std::string& id) const {
    const auto place = places_.find(id);
    if (place == places_.end()) throw std::out_of_range("no story of job " + id);
    return all[place->second];
  }
  [[nodiscard]] double start(const std::string& id) const { return of(id).starts.front(); }

  std::vector<JobStory> all;
  std::vector<std::string> order;  ///< of first starts
  std::vector<cluster::Refusal> refusals;

 private:
  JobStory& open(const std::string& id) {
    const auto [place, fresh] = places_.try_emplace(id, all.size());
    if (fresh) all.push_back({id});
    return all[place->second];
  }

  std::map<std::string, std::size_t> places_;
};

struct ClusterRun {
  cluster::ClusterRecord record;
  Stories stories;
};

inline ClusterRun run(const cluster::ClusterPlan& plan, std::vector<cluster::Job> jobs) {
  ClusterRun result;
  ListedJobs stream(std::move(jobs));
  result.record = cluster::simulate(plan, stream, {&result.stories});
  return result;
}

inline cluster::ClusterPlan plan_of(std::int64_t nodes, std::int64_t gpus_per_node,
                                    cluster::Backfill backfill = cluster::Backfill::none) {
  cluster::ClusterPlan plan;
  plan.groups = {{"a", nodes, gpus_per_node}};
  plan.policy.backfill = backfill;
  return plan;
}

}  // namespace gpucap::test
