#include "demand.hpp"

#include "gpucap/cluster/gpu_time.hpp"
#include "gpucap/cluster/interval.hpp"

#include <algorithm>
#include <stdexcept>

namespace gpucap::cluster {
namespace {

/// Faults over time that cost a job the work since its last checkpoint. Those announced long enough
/// before to save cost it none.
Frequency losses(const NodeGroup& group, const JobKind& kind, std::int64_t thousandths) {
  const std::int64_t gpus = (thousandths + whole_gpu - 1) / whole_gpu;
  const std::int64_t nodes = (gpus + group.gpus_per_node - 1) / group.gpus_per_node;
  Frequency sum;
  for (const FaultClass& fault : group.faults) {
    if (fault.notice.ns > 0 && fault.notice >= kind.checkpoint->write) continue;
    const std::int64_t hit = fault.hits == Hits::node ? nodes : gpus;
    sum += static_cast<double>(hit) * ((unit::s / fault.mean_between) * unit::per_s);
  }
  return sum;
}

std::optional<SimTime> interval_of(const JobKind& kind, const NodeGroup& group,
                                   std::int64_t thousandths) {
  if (!kind.checkpoint) return std::nullopt;
  if (kind.checkpoint->interval) return kind.checkpoint->interval;
  const Frequency rate = losses(group, kind, thousandths);
  if (rate == Frequency{}) return std::nullopt;
  const Seconds write = as_seconds(kind.checkpoint->write) * unit::s;
  const SimTime best = to_sim_time(daly_interval(write, unit::s / rate.in(unit::per_s)));
  return SimTime{std::max<std::int64_t>(1, best.ns)};  // a free save is made all the time
}

/// Throughput against that on the job's own number of GPUs; 1 for what the table does not have.
double scaled(const JobKind& kind, std::int64_t own, std::int64_t thousandths) {
  if (own == thousandths || !kind.scaling) return 1;
  const auto rate = [&](std::int64_t size) {
    for (const auto& point : *kind.scaling) {
      if (point.gpus * whole_gpu == size) return point.iterations;
    }
    throw std::logic_error("a job was placed on a number of GPUs that its table lacks");
  };
  return rate(thousandths) / rate(own);
}

void check(const JobKind& kind, std::size_t groups) {
  const auto bad_speed = [](double speed) { return !(speed >= 0); };
  if (kind.speed.size() != groups || std::ranges::any_of(kind.speed, bad_speed)) {
    throw std::invalid_argument("a job has a speed of at least 0 for every node group");
  }
  if (!(kind.stall_share >= 0 && kind.stall_share < 1)) {
    throw std::invalid_argument("a job is stalled for a share of at least 0 and below 1");
  }
  const bool bad_interval =
      kind.checkpoint && kind.checkpoint->interval.value_or(SimTime{1}).ns < 1;
  if (kind.restart.ns < 0 || bad_interval || (kind.checkpoint && kind.checkpoint->write.ns < 0)) {
    throw std::invalid_argument("times of checkpoints and restarts are not below zero");
  }
}

}  // namespace

StayTerms terms_of(const JobKind& kind, const NodeGroup& group, std::size_t group_number,
                   std::int64_t own_thousandths, std::int64_t thousandths) {
  StayTerms terms;
  terms.stall_share = kind.stall_share;
  terms.rate = kind.speed[group_number] * scaled(kind, own_thousandths, thousandths) *
               (1 - kind.stall_share);
  terms.interval = interval_of(kind, group, thousandths);
  if (terms.interval) terms.write = kind.checkpoint->write;
  return terms;
}

Demand Demands::made_for(const Job& job, std::int64_t thousandths) const {
  check(*job.kind, groups_.size());
  Demand demand{job.kind, thousandths, {}, 0, std::vector<StayTerms>(groups_.size()), {}, {}};
  demand.refusal = Refusal::no_group;
  for (std::size_t group = 0; group < groups_.size(); ++group) {
    if (job.kind->speed[group] == 0) continue;
    demand.refusal = Refusal::too_large;
    if (thousandths > groups_[group].gpus() * whole_gpu) continue;
    demand.groups.push_back(group);
    demand.group_bits |= std::uint64_t{1} << group;
    demand.terms[group] = terms_of(*job.kind, groups_[group], group, thousandths, thousandths);
  }
  if (!demand.groups.empty()) demand.refusal.reset();
  std::ranges::stable_sort(demand.groups, [&](std::size_t a, std::size_t b) {
    return job.kind->speed[a] > job.kind->speed[b];
  });
  return demand;
}

std::size_t Demands::of(const Job& job) {
  if (!job.kind) throw std::invalid_argument("a job has a kind");
  const std::int64_t thousandths = gang_of(job.gpu_thousandths);
  const auto [place, fresh] = numbers_.try_emplace({job.kind.get(), thousandths}, demands_.size());
  if (fresh) demands_.push_back(made_for(job, thousandths));
  return place->second;
}

}  // namespace gpucap::cluster
