#include "gpucap/serving/replica.hpp"

#include <algorithm>

namespace gpucap::serving {

Replica::Replica(const plan::SchedulerRules& rules, std::span<const perf::StepCost> costs,
                 std::int64_t index, std::int64_t id_tokens, std::vector<record::Sink*> sinks)
    : costs_(costs),
      index_(index),
      depth_(rules.async_scheduling ? 2 : static_cast<std::size_t>(rules.stages_in_flight)),
      decodes_(rules.decodes),
      sinks_(std::move(sinks)),
      scheduler_(rules, id_tokens),
      busy_until_(costs.size()),
      timelines_(costs.size()) {}

bool Replica::can_serve(const workload::Request& request) const {
  return scheduler_.can_serve(request);
}

void Replica::arrive(workload::Request request) {
  auto sequence = std::make_unique<Sequence>();
  sequence->request = std::move(request);
  scheduler_.enqueue(sequence.get());
  sequences_.emplace(sequence.get(), std::move(sequence));
}

std::vector<SimTime> Replica::decide(SimTime now) {
  std::vector<SimTime> ends;
  // Time restarts at whole nanoseconds only from idle; inside a busy period it stays exact.
  if (flights_.empty() && shown(decision_time_) < now) decision_time_ = to_ticks(now);
  while (flights_.size() < depth_) {
    Step step = scheduler_.schedule();
    if (step.shares.empty()) break;
    for (const Share& share : step.shares) {
      Sequence& sequence = *share.sequence;
      if (sequence.scheduled.ns < 0) sequence.scheduled = now;
    }
    const Ticks end = run(step);
    flights_.push_back({std::move(step.shares), end});
    ends.push_back(shown(end));
  }
  return ends;
}

/// Sends a step through the stages; returns when it leaves the last one.
Ticks Replica::run(const Step& step) {
  Ticks ready = decision_time_;
  for (std::size_t stage = 0; stage < costs_.size(); ++stage) {
    const perf::StepWork work = costs_[stage](step.batch);
    const Ticks start = std::max(busy_until_[stage], ready);
    book(step, stage, work, start);
    ready = busy_until_[stage] = start + work.time;
  }
  return ready;
}

void Replica::book(const Step& step, std::size_t stage, const perf::StepWork& work, Ticks start) {
  record::Usage usage;
  usage.time = work.time;
  usage.flops = work.flops;
  usage.bytes = work.bytes;
  usage.link_bytes = work.link_bytes;
  // Steps and tokens count once, where the tokens come out.
  if (stage + 1 == costs_.size()) {
    usage.steps = 1;
    for (const perf::Chunk& chunk : step.chunks) usage.prompt_tokens += chunk.q;
    usage.output_tokens = decodes_ ? step.batch.sampled : 0;
  }
  usage.by_cause = work.by_cause;
  if (step.head_blocked) {
    usage.by_cause[static_cast<std::size_t>(*step.head_blocked)] += work.time;
  }
  const auto state = step.chunks.empty() ? record::State::decode : record::State::prefill;
  record::Timeline& timeline = timelines_[stage];
  timeline.add(shown(start), state, usage);
  timeline.add_levels(shown(start), work.time,
                      scheduler_.blocks_in_use() * scheduler_.block_tokens(), scheduler_.running(),
                      scheduler_.waiting());
}

std::int64_t Replica::complete() {
  const Flight flight = std::move(flights_.front());
  flights_.pop_front();
  decision_time_ = flight.end;
  const SimTime now = shown(flight.end);
  std::int64_t finished = 0;
  for (const Share& share : flight.shares) {
    if (!share.samples) continue;
    Sequence& sequence = *share.sequence;
    deliver_token(sequence, flight.end);
    if (sequence.delivered < sequence.request.output_tokens) continue;
    finish(sequence, now);
    ++finished;
  }
  tell_gaps();
  return finished;
}

void Replica::deliver_token(Sequence& sequence, Ticks end) {
  if (sequence.delivered == 0) {
    sequence.first_token = shown(end);
  } else {
    tell_gap(end - sequence.last_token);
  }
  sequence.last_token = end;
  ++sequence.delivered;
}

void Replica::tell_gap(Ticks gap) {
  // Nearly all sequences of a step got their last token from the same step before.
  for (auto& [known, count] : gaps_) {
    if (known == gap) {
      ++count;
      return;
    }
  }
  gaps_.emplace_back(gap, 1);
}

void Replica::tell_gaps() {
  for (record::Sink* sink : sinks_) {
    for (const auto& [gap, count] : gaps_) sink->token_gaps({gap, count});
  }
  gaps_.clear();
}

void Replica::finish(Sequence& sequence, SimTime now) {
  scheduler_.retire(&sequence);
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
  for (record::Sink* sink : sinks_) sink->finished(row);
  sequences_.erase(&sequence);
}

}  // namespace gpucap::serving
