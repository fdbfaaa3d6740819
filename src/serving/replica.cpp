#include "gpucap/serving/replica.hpp"

#include <algorithm>

namespace gpucap::serving {

Replica::Replica(const plan::SchedulerRules& rules, const perf::StepCost& cost, std::int64_t index,
                 std::int64_t id_tokens, std::vector<record::Sink*> sinks)
    : cost_(&cost),
      index_(index),
      depth_(rules.async_scheduling ? 2 : 1),
      decodes_(rules.decodes),
      sinks_(std::move(sinks)),
      scheduler_(rules, id_tokens) {}

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
    const perf::StepWork work = (*cost_)(step.batch);
    const Ticks start = std::max(busy_until_, decision_time_);
    book(step, work, start);
    busy_until_ = start + work.time;
    flights_.push_back({std::move(step.shares), busy_until_});
    ends.push_back(shown(busy_until_));
  }
  return ends;
}

void Replica::book(const Step& step, const perf::StepWork& work, Ticks start) {
  record::Usage usage;
  usage.time = work.time;
  usage.flops = work.flops;
  usage.bytes = work.bytes;
  usage.link_bytes = work.link_bytes;
  usage.steps = 1;
  for (const perf::Chunk& chunk : step.chunks) usage.prompt_tokens += chunk.q;
  usage.output_tokens = decodes_ ? step.batch.sampled : 0;
  usage.by_cause = work.by_cause;
  if (step.head_blocked) {
    usage.by_cause[static_cast<std::size_t>(*step.head_blocked)] += work.time;
  }
  const auto state = step.chunks.empty() ? record::State::decode : record::State::prefill;
  timeline_.add(shown(start), state, usage);
  timeline_.add_levels(shown(start), work.time,
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
    for (const auto& [gap, count] : gaps_) sink->token_gap(gap, count);
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
