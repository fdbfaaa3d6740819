#include "gpucap/serving/replica.hpp"

#include <algorithm>

namespace gpucap::serving {
namespace {

std::size_t steps_in_flight(const plan::SchedulerRules& rules) {
  return rules.async_scheduling ? 2 : static_cast<std::size_t>(rules.stages_in_flight);
}

/// A row of steps has a closed form on one stage only: in a pipeline each step waits for others.
Stepping stepping_on(const Site& site) {
  return site.costs.size() == 1 ? site.stepping : Stepping::reference;
}

}  // namespace

Replica::Replica(const Site& site, std::int64_t index)
    : site_(&site),
      index_(index),
      scheduler_(site.rules, site.id_tokens, stepping_on(site)),
      flights_(steps_in_flight(site.rules)),
      busy_until_(site.costs.size()) {
  for (const perf::StepCost& cost : site.costs) {
    books_.emplace_back(cost, site.rules.block_tokens, site.timeline_buckets);
  }
}

bool Replica::arrive(Sequence& sequence, SimTime now) {
  const bool sooner = row_ > 1;
  if (row_ > 0) interrupt_row(now);
  scheduler_.enqueue(sequence);
  return sooner;
}

void Replica::decide(SimTime now) {
  // Time restarts at whole nanoseconds only from idle; inside a busy period it stays exact.
  if (flights_.empty() && shown(decision_time_) < now) decision_time_ = to_ticks(now);
  if (row_ > 0) extend_row();
  while (!flights_.full()) {
    if (row_ > 0) close_row(1);
    const Step& step = scheduler_.schedule();
    if (step.empty()) return;
    if (step.repeats) {
      open_row(step);
      continue;
    }
    for (const Share& share : step.shares) {
      if (share.sequence->scheduled.ns < 0) share.sequence->scheduled = now;
    }
    take_step(step);
  }
}

void Replica::take_step(const Step& step) {
  const Ticks end = run(step);
  tell_tokens(step, end);
  Flight& flight = flights_.push(end);
  scheduler_.settle(end, flight.finished);
  if (site_->rules.stages_in_flight > 1) await_tokens(step, flight);
}

/// Sends a step through the stages; returns when it leaves the last one.
Ticks Replica::run(const Step& step) {
  const auto state = step.chunks.empty() ? record::State::decode : record::State::prefill;
  const Levels levels = this->levels();
  // Tokens count once, where they come out.
  std::optional<StepBook::Tokens> tokens{{0, site_->rules.decodes ? step.batch.sampled : 0}};
  for (const perf::Chunk& chunk : step.chunks) tokens->prompt += chunk.q;
  Ticks ready = decision_time_;
  for (std::size_t stage = 0; stage < site_->costs.size(); ++stage) {
    const perf::StepWork work = site_->costs[stage](step.batch);
    const Ticks start = std::max(busy_until_[stage], ready);
    const bool last = stage + 1 == site_->costs.size();
    books_[stage].add(work, state, start, levels, last ? tokens : std::nullopt);
    ready = busy_until_[stage] = start + work.time;
  }
  return ready;
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

void Replica::await_tokens(const Step& step, Flight& flight) const {
  for (const Share& share : step.shares) {
    if (!share.samples) continue;
    ++share.sequence->on_the_way;
    flight.awaited.push_back(share.sequence);
  }
}

/// Starts a step that repeats itself. How often is settled when the row is closed, by an arrival or
/// by what ends it. While a request finishes with an earlier step, it is one step: the engine looks
/// again when that step does (`extend_row`).
void Replica::open_row(const Step& step) {
  run_.emplace(site_->costs[0].decode(step.members), step.batch, step.growth);
  row_start_ = std::max(busy_until_[0], decision_time_);
  busy_until_[0] = row_start_ + run_->until(1);
  flights_.push(busy_until_[0]);
  row_ = 1;
  if (flights_.full() && !flights_.finishing()) {
    row_ = std::min(scheduler_.row(), run_->steps());
  }
}

/// The step before the open row has ended, and who finished with it is gone. Nobody waits for the
/// place, so the next step is the same again, and the row may go on for longer than that step.
void Replica::extend_row() {
  const std::int64_t steps = std::min(scheduler_.row(), run_->steps());
  if (steps < 2) return;
  row_ = steps;
  flights_.push(row_start_ + run_->until(2));
}

/// Passes the first `steps` of the open row.
void Replica::close_row(std::int64_t steps) {
  row_ = 0;
  tell_row(steps);
  const std::int64_t blocks =
      books_[0].add_row(*run_, steps, row_start_, scheduler_.decode_set(), levels(), leaving_);
  leaving_ = {};
  for (std::size_t i = 0; steps > 1 && i < flights_.depth(); ++i) {
    const auto later = static_cast<std::int64_t>(flights_.depth() - 1 - i);
    flights_[i].end = row_start_ + run_->until(steps - later);
  }
  busy_until_[0] = flights_.back().end;
  scheduler_.settle_row(steps, blocks, busy_until_[0], flights_.back().finished);
}

void Replica::tell_row(std::int64_t steps) const {
  const auto& last_tokens = scheduler_.decode_set().last_tokens();
  if (last_tokens.size() == 1 && last_tokens.front().first == row_start_) {
    tell({run_->duration(0), run_->sequences(), steps, run_->growth()});
    return;
  }
  for (const auto& [last, count] : last_tokens) tell({row_start_ + run_->until(1) - last, count});
  if (steps > 1) tell({run_->duration(1), run_->sequences(), steps - 1, run_->growth()});
}

/// Something arrives at `now`. Steps that were decided before go on; the decision after them sees
/// it. Step k of the row is decided when step k - depth ends.
void Replica::interrupt_row(SimTime now) {
  const std::int64_t ended = run_->first_at(first_shown_as(now) - row_start_);
  const std::int64_t decided = ended + static_cast<std::int64_t>(flights_.depth()) - 1;
  close_row(std::clamp<std::int64_t>(decided, 1, row_));
}

SimTime Replica::next_completion() const {
  if (row_ <= 1) return shown(flights_.front().end);
  const auto depth = static_cast<std::int64_t>(flights_.depth());
  return shown(row_start_ + run_->until(row_ + 1 - depth));
}

std::int64_t Replica::complete() {
  const bool goes_on = row_ > 0 && flights_.finishing() && scheduler_.waiting() == 0;
  if (row_ > 0 && !goes_on) close_row(row_);
  const Leaving before{scheduler_.blocks_in_use(), scheduler_.running()};
  Flight& flight = flights_.front();
  decision_time_ = flight.end;
  const SimTime now = shown(flight.end);
  for (Sequence* sequence : flight.awaited) --sequence->on_the_way;
  for (Sequence* sequence : flight.finished) finish(*sequence, now);
  const auto finished = std::ssize(flight.finished);
  flights_.pop();
  if (goes_on) {
    leaving_ = {before.blocks - scheduler_.blocks_in_use(), before.running - scheduler_.running()};
  }
  return finished;
}

Levels Replica::levels() const {
  return {scheduler_.blocks_in_use(), scheduler_.running(), scheduler_.waiting(),
          scheduler_.last_step().head_blocked};
}

std::vector<record::Timeline> Replica::timelines() {
  std::vector<record::Timeline> timelines;
  for (StepBook& book : books_) timelines.push_back(book.close());
  return timelines;
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
  site_->sequences.give_back(sequence);
}

}  // namespace gpucap::serving
