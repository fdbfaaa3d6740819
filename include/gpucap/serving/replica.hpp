#pragma once

#include "gpucap/perf/step_cost.hpp"
#include "gpucap/plan/serving_plan.hpp"
#include "gpucap/record/sink.hpp"
#include "gpucap/record/usage.hpp"
#include "gpucap/serving/scheduler.hpp"
#include "gpucap/workload/request.hpp"

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

namespace gpucap::serving {

/// One engine in simulated time: decides steps, lets them take their cost, hands out tokens.
/// A step passes the pipeline stages one after the other; a stage runs one step at a time, in
/// order. With asynchronous scheduling the next step is decided while one runs, so up to two are in
/// flight; with several stages as many as there are stages. It is driven from outside: `decide` at
/// an instant when it may start steps, `complete` at the end of each step that `decide` returned.
class Replica {
 public:
  /// `costs`: of each stage, in order; they must outlive the replica.
  Replica(const plan::SchedulerRules& rules, std::span<const perf::StepCost> costs,
          std::int64_t index, std::int64_t id_tokens, std::vector<record::Sink*> sinks);

  /// False: the request can never run here (the caller counts it as refused).
  [[nodiscard]] bool can_serve(const workload::Request& request) const;
  void arrive(workload::Request request);

  /// Starts as many steps as may be in flight; returns when each of them ends.
  std::vector<SimTime> decide(SimTime now);

  /// Ends the oldest step in flight; returns how many requests finished with it.
  std::int64_t complete();

  [[nodiscard]] bool idle() const { return flights_.empty(); }
  [[nodiscard]] std::int64_t waiting() const { return scheduler_.waiting(); }
  [[nodiscard]] std::int64_t in_system() const {
    return scheduler_.waiting() + scheduler_.running();
  }
  [[nodiscard]] std::int64_t blocks_in_use() const { return scheduler_.blocks_in_use(); }
  [[nodiscard]] const std::vector<record::Timeline>& timelines() const { return timelines_; }

 private:
  struct Flight {
    std::vector<Share> shares;
    Ticks end;
  };
  [[nodiscard]] Ticks run(const Step& step);
  void book(const Step& step, std::size_t stage, const perf::StepWork& work, Ticks start);
  void deliver_token(Sequence& sequence, Ticks end);
  void finish(Sequence& sequence, SimTime now);
  void tell_gap(Ticks gap);
  void tell_gaps();

  std::span<const perf::StepCost> costs_;
  std::int64_t index_;
  std::size_t depth_;  ///< steps in flight at most
  bool decodes_;       ///< false: a pass ends a request and yields no token
  std::vector<record::Sink*> sinks_;
  Scheduler scheduler_;
  std::unordered_map<const Sequence*, std::unique_ptr<Sequence>> sequences_;
  std::deque<Flight> flights_;
  std::vector<Ticks> busy_until_;  ///< by stage: end of the last step started
  Ticks decision_time_;  ///< exact time of the last completion, from which the next step is decided
  std::vector<std::pair<Ticks, std::int64_t>> gaps_;  ///< of the step being delivered
  std::vector<record::Timeline> timelines_;           ///< by stage
};

}  // namespace gpucap::serving
