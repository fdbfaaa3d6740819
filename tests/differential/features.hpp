#pragma once

#include "gpucap/serving/fleet.hpp"
#include "gpucap/serving/sequence.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "support/random_world.hpp"
#include "told.hpp"

namespace gpucap::test {

/// How many requests of one replica are within [begin, end) at once, at most.
template <class Begin, class End>
std::int64_t most_at_once(const std::vector<record::RequestRow>& rows, Begin begin, End end) {
  std::map<std::int64_t, std::vector<std::pair<SimTime, std::int64_t>>> by_replica;
  for (const auto& row : rows) {
    if (begin(row) >= end(row)) continue;
    by_replica[row.replica].emplace_back(begin(row), 1);
    by_replica[row.replica].emplace_back(end(row), -1);
  }
  std::int64_t most = 0;
  for (auto& [replica, changes] : by_replica) {
    std::ranges::sort(changes);
    std::int64_t now = 0;
    for (const auto& [time, change] : changes) most = std::max(most, now += change);
  }
  return most;
}

inline std::int64_t most_running(const Told& told) {
  return most_at_once(
      told.requests, [](const auto& row) { return row.scheduled; },
      [](const auto& row) { return row.finished; });
}

/// Prompts longer than a step, begun and not ended.
inline std::int64_t most_unfinished_prompts(const Told& told, std::int64_t step_tokens) {
  auto rows = told.requests;
  std::erase_if(rows, [&](const auto& row) { return row.prompt_tokens <= step_tokens; });
  return most_at_once(
      rows, [](const auto& row) { return row.scheduled; },
      [](const auto& row) { return row.first_token; });
}

/// Did requests of two replicas finish at one instant?
inline bool replicas_meet(const Told& told) {
  std::set<std::pair<SimTime, std::int64_t>> ends;
  std::set<SimTime> instants;
  for (const auto& row : told.requests) {
    ends.emplace(row.finished, row.replica);
    instants.insert(row.finished);
  }
  return ends.size() > instants.size();
}

inline bool waited_for_blocks(const serving::FleetRecord& record) {
  constexpr auto cause = static_cast<std::size_t>(perf::Cause::kv_cache);
  return std::ranges::any_of(record.timelines, [](const record::Timeline& timeline) {
    return timeline.total(record::State::decode).by_cause[cause] > Ticks{};
  });
}

inline bool any(const Told& told, std::int64_t record::RequestRow::*field, std::int64_t least) {
  return std::ranges::any_of(told.requests, [&](const auto& row) { return row.*field >= least; });
}

using Features = std::vector<std::pair<const char*, bool>>;

/// What the engine of a world is like.
inline Features engine_features(const toy::World& world) {
  using Batching = perf::EngineProfile::Batching;
  const auto& rules = world.plan.rules;
  const auto& host = world.plan.question.engine.profile.host;
  return {
      {"asynchronous scheduling", rules.async_scheduling},
      {"chunked prefill", rules.chunked_prefill},
      {"prompts first", rules.batching == Batching::prefill_first},
      {"gangs", rules.batching == Batching::gang},
      {"pipeline stages", world.plan.question.layout.pipeline_parallel > 1},
      {"encoders", !rules.decodes},
      {"sliding window", rules.sliding_window.has_value()},
      {"max_num_seqs below 4", rules.max_num_seqs < 4},
      {"prefix caching", rules.prefix_caching},
      {"ids and blocks that do not divide",
       !serving::block_sizes_agree(rules.block_tokens, world.id_tokens)},
      {"host floor", host.floor_per_layer > Seconds{}},
      {"front end", host.front_end > Seconds{}},
      {"closed loop", world.clients.has_value()},
      {"several replicas", world.plan.replicas > 1},
      {"least loaded", world.router == serving::Router::least_loaded},
      {"an arrival at the end of a step", world.met_step_ends > 0},
  };
}

/// What happened in it.
inline Features load_features(const toy::World& world, const Told& told,
                              const serving::FleetRecord& record) {
  const auto& rules = world.plan.rules;
  const bool hits = any(told, &record::RequestRow::cached_prompt_tokens, 1);
  const bool preempted = any(told, &record::RequestRow::preemptions, 1);
  const bool for_blocks = waited_for_blocks(record);
  const bool blocked_whole = for_blocks && hits && !rules.chunked_prefill;
  const bool unfinished =
      rules.chunked_prefill && most_unfinished_prompts(told, rules.max_num_batched_tokens) > 1;
  const SimTime second{1'000'000'000};
  return {
      {"jumps", told.jumped > 0},
      {"prefix hits", hits},
      {"decoding while the queue waits for blocks", for_blocks},
      {"the same with prefix hits and whole prompts", blocked_whole},
      {"several unfinished prompts", unfinished},
      {"more sequences than tokens in a step", most_running(told) > rules.max_num_batched_tokens},
      {"preemption", preempted},
      {"preemption and prefix caching", preempted && rules.prefix_caching},
      {"preemption and asynchronous scheduling", preempted && rules.async_scheduling},
      {"preempted twice", any(told, &record::RequestRow::preemptions, 2)},
      {"replicas that end steps at one instant", replicas_meet(told)},
      {"buckets wider than a second", record.timelines.front().bucket_width() > second},
      {"refused requests", told.requests.size() < world.requests.size()},
  };
}

/// Counts what a world met; a feature that none meets stays at 0.
inline void count_features(const toy::World& world, const Told& told,
                           const serving::FleetRecord& record, std::map<std::string, int>& seen) {
  for (const auto& [name, has] : engine_features(world)) seen[name] += has ? 1 : 0;
  for (const auto& [name, has] : load_features(world, told, record)) seen[name] += has ? 1 : 0;
}

}  // namespace gpucap::test
