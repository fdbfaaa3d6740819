#include "gpucap/serving/fleet.hpp"

#include "gpucap/engine/least_count.hpp"
#include "gpucap/engine/timers.hpp"
#include "gpucap/serving/replica.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "incoming.hpp"

namespace gpucap::serving {
namespace {

using engine::Phase;

// Of a whole fleet, so that a thousand replicas do not keep a thousand long timelines.
constexpr std::size_t timeline_buckets = 8 * record::Timeline::default_buckets;
constexpr std::size_t fewest_buckets = 16;

class Fleet {
 public:
  Fleet(const plan::ServingPlan& plan, workload::Load load, Router router,
        const std::vector<record::Sink*>& sinks, Stepping stepping)
      : costs_(plan.stage_costs()),
        load_(std::move(load)),
        router_(router),
        front_end_(to_sim_time(plan.question.engine.profile.host.front_end)),
        site_{plan.rules,
              costs_,
              sequences_,
              load_.requests->block_tokens(),
              sinks,
              stepping,
              std::clamp(timeline_buckets / static_cast<std::size_t>(plan.replicas), fewest_buckets,
                         record::Timeline::default_buckets)},
        timers_(static_cast<std::size_t>(plan.replicas)),
        in_system_(static_cast<std::size_t>(plan.replicas)) {
    replicas_.reserve(static_cast<std::size_t>(plan.replicas));
    for (int i = 0; i < plan.replicas; ++i) replicas_.emplace_back(site_, i);
  }

  FleetRecord run() {
    const std::int64_t first = load_.clients.value_or(1);
    for (std::int64_t i = 0; i < first; ++i) pull_request(SimTime{0});
    while (true) {
      const SimTime request = incoming_.next();
      if (timers_.empty()) {
        if (request == SimTime::never()) return finish();
        receive(request);
        continue;
      }
      // Completions of an instant come before its arrivals, and these before its decisions.
      const engine::Timers::Due due = timers_.next();
      if (request < due.time || (request == due.time && due.phase == Phase::decide)) {
        receive(request);
      } else {
        wake(due);
      }
    }
  }

 private:
  /// Takes the next request of the stream; a closed loop sends it at `now`.
  void pull_request(SimTime now) {
    auto next = load_.requests->next();
    if (!next) return;
    Sequence& sequence = sequences_.make(std::move(*next));
    workload::Request& request = sequence.request;
    if (load_.clients) request.arrival = now;
    if (!site_.rules.decodes) request.output_tokens = 0;
    incoming_.add(sequence, request.arrival, false);
  }

  void receive(SimTime now) {
    const Incoming::Request next = incoming_.take();
    if (next.admitted) {
      admit(now, next.sequence);
    } else {
      arrive(now, next.sequence);
    }
  }

  void arrive(SimTime now, Sequence& sequence) {
    if (!load_.clients) pull_request(now);
    ++record_.arrived;
    for (record::Sink* sink : site_.sinks) sink->arrived(sequence.request.id, now, waiting_);
    if (!replicas_.front().can_serve(sequence.request)) {
      refuse(now, sequence);
    } else if (front_end_.ns == 0) {
      admit(now, sequence);
    } else {
      incoming_.add(sequence, {now.ns + front_end_.ns}, true);
    }
  }

  void refuse(SimTime now, Sequence& sequence) {
    ++record_.refused;
    for (record::Sink* sink : site_.sinks) sink->refused(sequence.request.id, now);
    sequences_.give_back(sequence);
    if (load_.clients) pull_request(now);
  }

  void admit(SimTime now, Sequence& sequence) {
    const std::size_t chosen = choose(router_, {replicas_.size(), in_system_, routed_++});
    Replica& replica = replicas_[chosen];
    const bool sooner = replica.arrive(sequence, now);
    ++waiting_;
    count_in_system(chosen, 1);
    // A busy engine looks at its queue when a step ends; an idle one at once.
    if (replica.idle()) {
      timers_.set(chosen, now, Phase::decide);
    } else if (sooner) {
      timers_.set(chosen, replica.next_completion(), Phase::release);
    }
  }

  void count_in_system(std::size_t replica, std::int64_t more) {
    if (router_ != Router::round_robin) in_system_.add(replica, more);
  }

  void wake(const engine::Timers::Due& due) {
    if (due.phase == Phase::release) {
      complete(due.time, due.owner);
    } else {
      decide(due.time, due.owner);
    }
  }

  void complete(SimTime now, std::size_t chosen) {
    Replica& replica = replicas_[chosen];
    waiting_ -= replica.waiting();
    const std::int64_t finished = replica.complete();
    waiting_ += replica.waiting();  // less a victim of preemption whose last token was on the way
    count_in_system(chosen, -finished);
    record_.finished += finished;
    record_.end = now;
    if (load_.clients) {
      for (std::int64_t i = 0; i < finished; ++i) pull_request(now);
    }
    // In an open loop nothing but a request can come between, and none does.
    if (!load_.clients && incoming_.next() > now) {
      decide(now, chosen);
    } else {
      timers_.set(chosen, now, Phase::decide);
    }
  }

  void decide(SimTime now, std::size_t chosen) {
    Replica& replica = replicas_[chosen];
    waiting_ -= replica.waiting();
    replica.decide(now);
    waiting_ += replica.waiting();
    if (replica.idle()) {
      timers_.clear(chosen);
    } else {
      timers_.set(chosen, replica.next_completion(), Phase::release);
    }
  }

  FleetRecord finish() {
    for (Replica& replica : replicas_) {
      for (auto& timeline : replica.timelines()) record_.timelines.push_back(std::move(timeline));
      record_.blocks_left += replica.blocks_in_use();
    }
    return std::move(record_);
  }

  std::vector<perf::StepCost> costs_;
  workload::Load load_;
  Router router_;
  SimTime front_end_;
  SequencePool sequences_;
  Site site_;
  Incoming incoming_;
  engine::Timers timers_;
  engine::LeastCount in_system_;  ///< requests by replica, waiting or running
  std::vector<Replica> replicas_;
  std::int64_t waiting_ = 0;  ///< in all replicas
  std::int64_t routed_ = 0;
  FleetRecord record_;
};

}  // namespace

FleetRecord simulate(const plan::ServingPlan& plan, workload::Load load, Router router,
                     const std::vector<record::Sink*>& sinks, Stepping stepping) {
  return Fleet(plan, std::move(load), router, sinks, stepping).run();
}

}  // namespace gpucap::serving
