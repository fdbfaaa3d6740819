#include "gpucap/serving/fleet.hpp"

#include "gpucap/engine/agenda.hpp"
#include "gpucap/serving/replica.hpp"

#include <deque>
#include <optional>
#include <utility>

namespace gpucap::serving {
namespace {

using engine::Phase;

struct Event {
  enum class Kind { arrival, admission, completion, decision } kind = Kind::arrival;
  std::size_t replica = 0;                   ///< completion, decision
  std::optional<workload::Request> request;  ///< arrival (at the client), admission (at the engine)
};

class Fleet {
 public:
  Fleet(const plan::ServingPlan& plan, workload::Load load, Router router,
        const std::vector<record::Sink*>& sinks)
      : costs_(plan.stage_costs()),
        load_(std::move(load)),
        router_(router),
        sinks_(sinks),
        front_end_(to_sim_time(plan.question.engine.profile.host.front_end)),
        decodes_(plan.rules.decodes) {
    for (int i = 0; i < plan.replicas; ++i) {
      replicas_.emplace_back(plan.rules, costs_, i, load_.requests->block_tokens(), sinks);
    }
    deciding_.resize(replicas_.size(), false);
  }

  FleetRecord run() {
    const std::int64_t first = load_.clients.value_or(1);
    for (std::int64_t i = 0; i < first; ++i) pull_request(SimTime{0});
    while (!agenda_.empty()) {
      auto [key, event] = agenda_.pop();
      handle(key.time, std::move(event));
    }
    return finish();
  }

 private:
  void handle(SimTime now, Event event) {
    switch (event.kind) {
      case Event::Kind::arrival:
        arrive(now, std::move(*event.request));
        return;
      case Event::Kind::admission:
        admit(now, std::move(*event.request));
        return;
      case Event::Kind::completion:
        complete(now, event.replica);
        return;
      case Event::Kind::decision:
        decide(now, event.replica);
        return;
    }
  }

  /// Puts the next request of the stream on the agenda; a closed loop sends it at `now`.
  void pull_request(SimTime now) {
    auto request = load_.requests->next();
    if (!request) return;
    if (load_.clients) request->arrival = now;
    if (!decodes_) request->output_tokens = 0;
    const SimTime time = request->arrival;
    agenda_.schedule(time, Phase::arrive, {Event::Kind::arrival, 0, std::move(request)});
  }

  void arrive(SimTime now, workload::Request request) {
    if (!load_.clients) pull_request(now);
    ++record_.arrived;
    std::int64_t waiting = 0;
    for (const Replica& replica : replicas_) waiting += replica.waiting();
    for (record::Sink* sink : sinks_) sink->arrived(request.id, now, waiting);
    if (!replicas_.front().can_serve(request)) {
      refuse(now, request);
      return;
    }
    if (front_end_.ns == 0) {
      admit(now, std::move(request));
    } else {
      agenda_.schedule({now.ns + front_end_.ns}, Phase::arrive,
                       {Event::Kind::admission, 0, std::move(request)});
    }
  }

  void refuse(SimTime now, const workload::Request& request) {
    ++record_.refused;
    for (record::Sink* sink : sinks_) sink->refused(request.id, now);
    if (load_.clients) pull_request(now);
  }

  void admit(SimTime now, workload::Request request) {
    std::vector<ReplicaView> views;
    for (const Replica& replica : replicas_) views.push_back({replica.in_system()});
    const std::size_t chosen = choose(router_, views, routed_++);
    replicas_[chosen].arrive(std::move(request));
    // A busy engine looks at its queue when a step ends; an idle one at once.
    if (replicas_[chosen].idle()) request_decision(now, chosen);
  }

  void request_decision(SimTime now, std::size_t replica) {
    if (deciding_[replica]) return;
    deciding_[replica] = true;
    agenda_.schedule(now, Phase::decide, {Event::Kind::decision, replica, std::nullopt});
  }

  void decide(SimTime now, std::size_t replica) {
    deciding_[replica] = false;
    for (const SimTime end : replicas_[replica].decide(now)) {
      agenda_.schedule(end, Phase::release, {Event::Kind::completion, replica, std::nullopt});
    }
  }

  void complete(SimTime now, std::size_t replica) {
    const std::int64_t finished = replicas_[replica].complete();
    record_.finished += finished;
    record_.end = now;
    if (load_.clients) {
      for (std::int64_t i = 0; i < finished; ++i) pull_request(now);
    }
    request_decision(now, replica);
  }

  FleetRecord finish() {
    for (const Replica& replica : replicas_) {
      const auto& stages = replica.timelines();
      record_.timelines.insert(record_.timelines.end(), stages.begin(), stages.end());
      record_.blocks_left += replica.blocks_in_use();
    }
    return std::move(record_);
  }

  std::vector<perf::StepCost> costs_;
  workload::Load load_;
  Router router_;
  std::vector<record::Sink*> sinks_;
  SimTime front_end_;
  bool decodes_;
  engine::Agenda<Event> agenda_;
  std::deque<Replica> replicas_;
  std::vector<bool> deciding_;
  std::int64_t routed_ = 0;
  FleetRecord record_;
};

}  // namespace

FleetRecord simulate(const plan::ServingPlan& plan, workload::Load load, Router router,
                     const std::vector<record::Sink*>& sinks, Stepping /*stepping*/) {
  return Fleet(plan, std::move(load), router, sinks).run();
}

}  // namespace gpucap::serving
