#include "gpucap/serving/replica.hpp"

#include <algorithm>

namespace gpucap::serving {
namespace {

std::size_t steps_in_flight(const plan::SchedulerRules& rules) {
  return rules.async_scheduling ? 2 : static_cast<std::size_t>(rules.stages_in_flight);
}

/// The least exact time that is shown as `instant` or later.
Ticks first_shown_as(SimTime instant) {
  return to_ticks(SimTime{instant.ns - 1}) + Ticks{1};
}

}  // namespace

Replica::Replica(const Site& site, std::int64_t index)
    : site_(&site),
      index_(index),
      scheduler_(site.rules, site.id_tokens, site.stepping),
      flights_(steps_in_flight(site.rules)),
      busy_until_(site.costs.size()),
      timelines_(site.costs.size(), record::Timeline(site.timeline_buckets)) {}

bool Replica::arrive(workload::Request request, SimTime now) {
  const bool repeating = repeats_ > 0;
  if (repeating) interrupt(now);
  scheduler_.enqueue(sequences_.make(std::move(request)));
  return repeating;
}

void Replica::decide(SimTime now) {
  // Time restarts at whole nanoseconds only from idle; inside a busy period it stays exact.
  if (flights_.empty() && shown(decision_time_) < now) decision_time_ = to_ticks(now);
  while (!flights_.full()) {
    run_.reset();
    const Step& step = scheduler_.schedule();
    if (step.empty()) return;
    for (const Share& share : step.shares) {
      if (share.sequence->scheduled.ns < 0) share.sequence->scheduled = now;
    }
    settle(step, step.repeats ? start_run(step) : start(step));
  }
  plan_repeats();
}

/// Sends a step through the stages; returns when it leaves the last one.
Ticks Replica::start(const Step& step) {
  Ticks ready = decision_time_;
  for (std::size_t stage = 0; stage < site_->costs.size(); ++stage) {
    const perf::StepWork work = site_->costs[stage](step.batch);
    const Ticks start = std::max(busy_until_[stage], ready);
    book(step, stage, work, start);
    ready = busy_until_[stage] = start + work.time;
  }
  return ready;
}

/// The same for the first of a row of steps.
Ticks Replica::start_run(const Step& step) {
  const perf::StepCost::Decode& cost = site_->costs[0].decode(step.batch.decodes);
  run_.emplace(cost, step.batch, step.growth);
  run_start_ = std::max(busy_until_[0], decision_time_);
  book(step, 0, run_->sum(0, 1), run_start_);
  return busy_until_[0] = run_start_ + run_->until(1);
}

/// Notes what the step that was started last brings when it ends.
void Replica::settle(const Step& step, Ticks end) {
  tell_tokens(step, end);
  Flight& flight = flights_.push(end);
  scheduler_.settle(end, flight.finished);
  if (site_->rules.stages_in_flight == 1) return;
  for (const Share& share : step.shares) {
    if (!share.samples) continue;
    ++share.sequence->on_the_way;
    flight.awaited.push_back(share.sequence);
  }
}

void Replica::tell_tokens(const Step& step, Ticks end) {
  if (step.members > 0) {
    for (const auto& [last, count] : scheduler_.decode_set().last_tokens()) {
      tell({end - last, count});
    }
  }
  for (const Share& share : step.shares) {
    if (share.samples) tell_token(*share.sequence, end);
  }
  for (const record::TokenGaps& gaps : gaps_) tell(gaps);
  gaps_.clear();
}

void Replica::tell_token(Sequence& sequence, Ticks end) {
  if (sequence.promised == 1) {
    sequence.first_token = shown(end);
    return;
  }
  const Ticks gap = end - sequence.last_token;
  // Nearly all sequences of a step got their last token from the same step before.
  const auto known = std::ranges::find(gaps_, gap, &record::TokenGaps::first);
  if (known == gaps_.end()) {
    gaps_.push_back({gap});
  } else {
    ++known->count;
  }
}

void Replica::tell(const record::TokenGaps& gaps) const {
  for (record::Sink* sink : site_->sinks) sink->token_gaps(gaps);
}

/// How far the step that was decided last may go on by itself. A request that ends with an earlier
/// one changes who runs, and the engine must look again then.
void Replica::plan_repeats() {
  if (!run_) return;
  for (std::size_t i = 0; i + 1 < flights_.depth(); ++i) {
    if (!flights_[i].finished.empty()) return;
  }
  repeats_ = std::min(scheduler_.repeats(), run_->steps() - 1);
}

/// Passes `times` more steps like the one that was decided last.
void Replica::repeat(std::int64_t times) {
  repeats_ = 0;
  if (times == 0) return;
  book_repeats(times);
  tell({run_->duration(1), run_->sequences(), times, run_->growth()});
  const std::size_t depth = flights_.depth();
  for (std::size_t i = 0; i < depth; ++i) {
    const auto later = static_cast<std::int64_t>(depth - 1 - i);
    flights_[i].end = run_start_ + run_->until(times + 1 - later);
  }
  busy_until_[0] = flights_.back().end;
  scheduler_.repeat(times, busy_until_[0], flights_.back().finished);
}

/// Something arrives at `now`. Steps that were decided before go on; the decision after them sees
/// it. Step k of the run is decided when step k - depth ends.
void Replica::interrupt(SimTime now) {
  const std::int64_t ended = run_->first_at(first_shown_as(now) - run_start_);
  const std::int64_t decided = ended + static_cast<std::int64_t>(flights_.depth()) - 1;
  repeat(std::clamp<std::int64_t>(decided - 1, 0, repeats_));
}

SimTime Replica::next_completion() const {
  if (repeats_ == 0) return shown(flights_.front().end);
  const auto depth = static_cast<std::int64_t>(flights_.depth());
  return shown(run_start_ + run_->until(repeats_ + 2 - depth));
}

std::int64_t Replica::complete() {
  repeat(repeats_);
  Flight& flight = flights_.front();
  decision_time_ = flight.end;
  const SimTime now = shown(flight.end);
  for (Sequence* sequence : flight.awaited) --sequence->on_the_way;
  for (Sequence* sequence : flight.finished) finish(*sequence, now);
  const auto finished = std::ssize(flight.finished);
  flights_.pop();
  return finished;
}

void Replica::book(const Step& step, std::size_t stage, const perf::StepWork& work, Ticks start) {
  record::Timeline::Slot slot = timelines_[stage].at(shown(start));
  const auto state = step.chunks.empty() ? record::State::decode : record::State::prefill;
  record::Usage& usage = slot.bucket.of(state);
  usage += work;
  // Steps and tokens count once, where the tokens come out.
  if (stage + 1 == site_->costs.size()) {
    ++usage.steps;
    for (const perf::Chunk& chunk : step.chunks) usage.prompt_tokens += chunk.q;
    usage.output_tokens += site_->rules.decodes ? step.batch.sampled : 0;
  }
  if (step.head_blocked) {
    usage.by_cause[static_cast<std::size_t>(*step.head_blocked)] += work.time;
  }
  slot.bucket.kv_tokens_time +=
      work.time * (scheduler_.blocks_in_use() * scheduler_.block_tokens());
  slot.bucket.add_requests(work.time, scheduler_.running(), scheduler_.waiting());
}

/// Steps 1 to `times` of the run, each in the bucket in which it starts.
void Replica::book_repeats(std::int64_t times) {
  const auto& blocked = scheduler_.last_step().head_blocked;
  std::int64_t blocks = scheduler_.blocks_in_use();
  for (std::int64_t first = 1; first <= times;) {
    record::Timeline::Slot slot = timelines_[0].at(shown(run_start_ + run_->until(first)));
    const std::int64_t beyond = run_->first_at(first_shown_as(slot.end) - run_start_);
    const std::int64_t next = std::min(times + 1, beyond);
    const perf::StepWork work = run_->sum(first, next - first);
    record::Usage& usage = slot.bucket.of(record::State::decode);
    usage += work;
    usage.steps += next - first;
    usage.output_tokens += (next - first) * run_->sequences();
    if (blocked) usage.by_cause[static_cast<std::size_t>(*blocked)] += work.time;
    // A block is held from the step on that takes it.
    Ticks held = work.time * blocks;
    scheduler_.decode_set().each_taking(
        first - 1, next - 1, [&](std::int64_t step, std::int64_t taken) {
          held += (run_->until(next) - run_->until(step + 1)) * taken;
          blocks += taken;
        });
    slot.bucket.kv_tokens_time += held * scheduler_.block_tokens();
    slot.bucket.add_requests(work.time, scheduler_.running(), scheduler_.waiting());
    first = next;
  }
}

void Replica::finish(Sequence& sequence, SimTime now) {
  scheduler_.retire(sequence);
  record::RequestRow row;
  row.id = sequence.request.id;
  row.replica = index_;
  row.arrival = sequence.request.arrival;
  row.scheduled = sequence.scheduled;
  row.first_token = sequence.first_token;
  row.finished = now;
  row.prompt_tokens = sequence.request.prompt_tokens;
  row.output_tokens = sequence.request.output_tokens;
  row.cached_prompt_tokens = sequence.cached_prompt_tokens;
  row.preemptions = sequence.preemptions;
  for (record::Sink* sink : site_->sinks) sink->finished(row);
  sequences_.give_back(sequence);
}

}  // namespace gpucap::serving
