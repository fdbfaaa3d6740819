#pragma once

#include "gpucap/perf/decode_run.hpp"
#include "gpucap/perf/step_cost.hpp"
#include "gpucap/plan/serving_plan.hpp"
#include "gpucap/record/sink.hpp"
#include "gpucap/record/usage.hpp"
#include "gpucap/serving/flights.hpp"
#include "gpucap/serving/scheduler.hpp"
#include "gpucap/serving/sequence_pool.hpp"
#include "gpucap/serving/step_book.hpp"
#include "gpucap/serving/stepping.hpp"
#include "gpucap/workload/request.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace gpucap::serving {

/// What the replicas of one fleet share. All of it must outlive them.
struct Site {
  const plan::SchedulerRules& rules;
  std::span<const perf::StepCost> costs;  ///< of each pipeline stage, in order
  SequencePool& sequences;                ///< where those that have finished go back to
  std::int64_t id_tokens = 0;             ///< per block id of the requests' prompts
  std::vector<record::Sink*> sinks;
  Stepping stepping = Stepping::jumps;
  std::size_t timeline_buckets = record::Timeline::default_buckets;
};

/// One engine in simulated time: decides steps, lets them take their cost, hands out tokens.
/// A step passes the pipeline stages one after the other; a stage runs one step at a time, in
/// order. With asynchronous scheduling the next step is decided while one runs, so up to two are in
/// flight; with several stages as many as there are stages.
///
/// It is driven from outside: `complete` at `next_completion`, and after that, or when something
/// arrives at an idle replica, `decide`. Where steps repeat themselves, the next completion is the
/// one after which something else has to be decided; an arrival before that moves it forward.
class Replica {
 public:
  Replica(const Site& site, std::int64_t index);

  /// False: the request can never run here (the caller counts it as refused).
  [[nodiscard]] bool can_serve(const workload::Request& request) const {
    return scheduler_.can_serve(request);
  }
  /// True: the next completion has moved forward.
  bool arrive(Sequence& sequence, SimTime now);

  /// Starts as many steps as may be in flight.
  void decide(SimTime now);

  [[nodiscard]] bool idle() const { return flights_.empty(); }
  /// When to call `complete`; the replica must not be idle.
  [[nodiscard]] SimTime next_completion() const;
  /// Ends the oldest step in flight; returns how many requests finished with it.
  std::int64_t complete();

  [[nodiscard]] std::int64_t waiting() const { return scheduler_.waiting(); }
  [[nodiscard]] std::int64_t blocks_in_use() const { return scheduler_.blocks_in_use(); }
  /// Of each stage, in order; to be taken once, at the end.
  [[nodiscard]] std::vector<record::Timeline> timelines();

 private:
  void take_step(const Step& step);
  Ticks run(const Step& step);
  void tell_tokens(const Step& step, Ticks end);
  void tell_token(Sequence& sequence, Ticks end);
  void tell(const record::TokenGaps& gaps) const;
  void await_tokens(const Step& step, Flight& flight) const;
  void open_row(const Step& step);
  void extend_row();
  void close_row(std::int64_t steps);
  void tell_row(std::int64_t steps) const;
  void interrupt_row(SimTime now);
  [[nodiscard]] Levels levels() const;
  void finish(Sequence& sequence, SimTime now);

  const Site* site_;
  std::int64_t index_;
  Scheduler scheduler_;
  Flights flights_;
  std::vector<Ticks> busy_until_;  ///< by stage: end of the last step started
  Ticks decision_time_;  ///< exact time of the last completion, from which the next step is decided

  std::int64_t row_ = 0;  ///< steps of the open row, if nothing arrives; 0: none is open
  std::optional<perf::DecodeRun> run_;  ///< what they cost
  Ticks row_start_;
  Leaving leaving_;  ///< with the step before the row

  std::vector<record::TokenGaps> gaps_;  ///< of the step being taken
  std::vector<StepBook> books_;          ///< by stage
};

}  // namespace gpucap::serving
