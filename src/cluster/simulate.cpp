#include "gpucap/cluster/simulate.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "elastic.hpp"
#include "faults.hpp"
#include "scheduler.hpp"
#include "stays.hpp"
#include "world.hpp"

namespace gpucap::cluster {
namespace {

void check(const FaultClass& fault) {
  const bool gpu_away = fault.hits == Hits::gpu && (fault.away.ns != 0 || fault.notice.ns != 0);
  if (!(fault.mean_between > Seconds{}) || fault.away.ns < 0 || fault.notice.ns < 0 || gpu_away) {
    throw std::invalid_argument("a fault has a mean time above 0; one of a GPU no other time");
  }
}

void check(const ClusterPlan& plan) {
  if (plan.groups.empty() || plan.groups.size() > 64) {
    throw std::invalid_argument("a cluster has 1 to 64 node groups");
  }
  for (const NodeGroup& group : plan.groups) {
    for (const FaultClass& fault : group.faults) check(fault);
  }
}

void check(const Job& job, SimTime now) {
  if (job.submit < now) throw std::invalid_argument("jobs come in order of submit");
  if (job.gpu_thousandths <= 0 || job.work.ns < 0 || job.estimate().ns < 0) {
    throw std::invalid_argument("a job has GPUs, and a run time and a limit not below 0");
  }
}

class Simulation {
 public:
  Simulation(const ClusterPlan& plan, JobStream& jobs, const std::vector<Sink*>& sinks)
      : world_(plan, sinks), jobs_(jobs), elastic_(world_), scheduler_(world_, elastic_) {}

  ClusterRecord run();

 private:
  /// The next instant at which something happens; none when all jobs have left.
  [[nodiscard]] std::optional<SimTime> next_instant() const;
  void advance(SimTime time);
  void handle(Faults& faults);
  void job_ends(const Event& event);
  void submit(Job job);
  void refuse(const Job& job, Refusal why);
  void take_jobs();
  void stop_all();
  void check_laws() const;

  World world_;
  JobStream& jobs_;
  Elastic elastic_;
  Scheduler scheduler_;
  std::optional<Job> coming_;
};

ClusterRecord Simulation::run() {
  coming_ = jobs_.next();
  if (!coming_) return std::move(world_.record);
  check(*coming_, coming_->submit);
  const auto until = world_.plan.until;
  world_.now = world_.record.first_submit = coming_->submit;
  Faults faults(world_, scheduler_, elastic_);
  for (auto time = next_instant(); time && (!until || *time <= *until); time = next_instant()) {
    advance(*time);
    handle(faults);
    take_jobs();
    scheduler_.pass();
    if (scheduler_.waiting() == 0) elastic_.grow();
  }
  if (next_instant()) stop_all();
  world_.record.end = world_.now;
  check_laws();
  return std::move(world_.record);
}

std::optional<SimTime> Simulation::next_instant() const {
  if (!coming_ && world_.jobs.size() == 0) return std::nullopt;
  SimTime next = coming_ ? coming_->submit : SimTime::never();
  if (!world_.agenda.empty()) next = std::min(next, world_.agenda.next().time);
  return next;
}

void Simulation::advance(SimTime time) {
  world_.machines.pass_time({time.ns - world_.now.ns}, world_.record.groups);
  world_.now = time;
}

void Simulation::handle(Faults& faults) {
  while (!world_.agenda.empty() && world_.agenda.next().time == world_.now) {
    const Event event = world_.agenda.pop().second;
    switch (event.kind) {
      case Event::Kind::end:
        job_ends(event);
        break;
      case Event::Kind::fault:
        faults.fault(event);
        break;
      case Event::Kind::reclaim:
        faults.reclaim(event);
        break;
      case Event::Kind::node_back:
        faults.node_back(event);
        break;
    }
  }
}

void Simulation::job_ends(const Event& event) {
  const LiveJob& live = world_.jobs[event.job];
  if (live.stay_number != event.number) return;
  elastic_.forget(event.job);
  end_stay(world_, event.job, spent_whole(live.stay->terms));
  scheduler_.capacity_changed();
  ++world_.record.finished;
  if (live.cut) ++world_.record.cut;
  leave(world_, event.job, Ending::finished);
}

void Simulation::take_jobs() {
  while (coming_ && coming_->submit == world_.now) {
    submit(std::move(*coming_));
    coming_ = jobs_.next();
    if (coming_) check(*coming_, world_.now);
  }
}

void Simulation::submit(Job job) {
  const SimTime now = world_.now;
  const std::int64_t queued = scheduler_.waiting();
  world_.tell([&](Sink& sink) { sink.submitted(job, now, queued); });
  world_.record.last_submit = now;
  const auto arrival = static_cast<std::uint64_t>(world_.record.submitted++);
  const std::size_t demand = world_.demands.of(job);
  const Demand& one = world_.demands[demand];
  if (one.refusal) return refuse(job, *one.refusal);
  LiveJob live;
  live.estimate_left = job.estimate();
  live.cut = world_.plan.policy.overrun == Overrun::cut && job.work > live.estimate_left;
  live.work_left = live.cut ? live.estimate_left : job.work;
  live.rank.arrival = arrival;
  live.demand = demand;
  live.job = std::move(job);
  StayTerms alone = one.terms[one.groups.front()];
  alone.interval.reset();
  alone.work = live.work_left;
  world_.record.asked += GpuTime::of(one.thousandths, length(alone));
  scheduler_.enqueue(world_.jobs.add(std::move(live)));
}

void Simulation::refuse(const Job& job, Refusal why) {
  ++world_.record.refused[static_cast<std::size_t>(why)];
  world_.tell([&](Sink& sink) { sink.refused(job, world_.now, why); });
}

/// What was worked until then is progress, whether written or not.
void Simulation::stop_all() {
  advance(*world_.plan.until);
  for (std::uint32_t place = 0; place < world_.jobs.places(); ++place) {
    LiveJob& live = world_.jobs[place];
    if (!live.job.kind) continue;  // a free place
    if (live.stay) {
      const SimTime ran{world_.now.ns - live.stay->start.ns};
      end_stay(world_, place, spent_until_saved(live.stay->terms, ran, {}));
      ++world_.record.running;
    } else {
      if (live.first_start) live.waited_again.ns += world_.now.ns - live.queued_since.ns;
      ++world_.record.waiting;
    }
    leave(world_, place, Ending::unfinished);
  }
}

void Simulation::check_laws() const {
  const ClusterRecord& record = world_.record;
  const std::int64_t left = record.finished + record.given_up + record.running + record.waiting;
  if (left + record.all_refused() != record.submitted) {
    throw std::logic_error("jobs were lost or made up");
  }
  for (std::size_t group = 0; group < record.groups.size(); ++group) {
    const GroupRecord& one = record.groups[group];
    const GpuTime all =
        GpuTime::of(world_.plan.groups[group].gpus() * whole_gpu, record.makespan());
    if (one.use.held() + one.idle + one.away != all) {
      throw std::logic_error("time on GPUs does not add up");
    }
  }
}

}  // namespace

ClusterRecord simulate(const ClusterPlan& plan, JobStream& jobs, const std::vector<Sink*>& sinks) {
  check(plan);
  return Simulation(plan, jobs, sinks).run();
}

}  // namespace gpucap::cluster
