#pragma once

#include "gpucap/core/random.hpp"
#include "gpucap/serving/fleet.hpp"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "support/toy.hpp"

namespace toy {

/// A random engine under a random load: small enough to be run a thousand times, odd enough to meet
/// every rule of the scheduler. Everything follows from the seed.
struct World {
  plan::ServingPlan plan;
  std::vector<workload::Request> requests;
  std::int64_t id_tokens = 0;
  std::optional<std::int64_t> clients;
  serving::Router router = serving::Router::round_robin;
  std::int64_t met_step_ends = 0;  ///< arrivals at the very instant at which a step ends

  template <class Sink>
  serving::FleetRecord run(Sink& sink,
                           serving::Stepping stepping = serving::Stepping::jumps) const {
    workload::Load load = open_loop(requests, id_tokens);
    load.clients = clients;
    return serving::simulate(plan, std::move(load), router, {&sink}, stepping);
  }
};

namespace random_parts {

using Batching = perf::EngineProfile::Batching;

inline bool chance(RandomStream& draw, double share) {
  return draw.uniform() < share;
}

template <class T>
T one_of(RandomStream& draw, std::initializer_list<T> choices) {
  return choices.begin()[draw.uniform_int(0, std::ssize(choices) - 1)];
}

inline plan::SchedulerRules random_rules(RandomStream& draw) {
  auto rules = toy::rules();
  rules.batching = static_cast<Batching>(draw.uniform_int(0, 2));
  rules.chunked_prefill = rules.batching != Batching::gang && chance(draw, 0.7);
  rules.prefix_caching = chance(draw, 0.5);
  rules.async_scheduling = chance(draw, 0.5);
  rules.reserve_full_prompt = chance(draw, 0.5);
  rules.block_tokens = one_of<std::int64_t>(draw, {1, 4, 7, 16, 16, 16, 32});
  rules.max_num_seqs = chance(draw, 0.2) ? 1 : draw.uniform_int(2, 24);
  // Some below the sequences that run, some above every prompt.
  const auto budget = one_of(draw, {std::pair{3, 20}, {20, 256}, {20, 256}, {256, 1200}});
  rules.max_num_batched_tokens = draw.uniform_int(budget.first, budget.second);
  if (chance(draw, 0.2)) rules.max_model_len = draw.uniform_int(60, 500);
  const std::int64_t tokens = chance(draw, 0.5) ? draw.uniform_int(100, 640) : 8000;
  rules.kv_blocks = tokens / rules.block_tokens;
  rules.watermark_blocks = chance(draw, 0.5) ? 0 : draw.uniform_int(1, 2);
  if (chance(draw, 0.3)) rules.sliding_window = draw.uniform_int(8, 200);
  return rules;
}

/// Host times, graph sizes and a front end, each in some worlds only.
inline void randomise_engine(RandomStream& draw, plan::ServingPlan& plan) {
  perf::EngineProfile& engine = plan.question.engine.profile;
  if (chance(draw, 0.5)) engine.host.gap = draw.uniform() * 300 * unit::us;
  if (chance(draw, 0.5)) engine.host.gap_per_sequence = draw.uniform() * 20 * unit::us;
  // The GPU of this world needs about 0.2 ms for a step: some floors are above, some are crossed.
  if (chance(draw, 0.5)) engine.host.floor_per_layer = draw.uniform() * 250 * unit::us;
  if (chance(draw, 0.3)) engine.host.per_sequence = draw.uniform() * 10 * unit::us;
  if (chance(draw, 0.3)) engine.host.front_end = draw.uniform() * 5 * unit::ms;
  if (chance(draw, 0.5))
    engine.graph_sizes = perf::EngineProfile::GraphSizes{{1, 2, 4}, {{8, 32}}, false};
  perf::Calibration& fits = plan.question.calibration;
  if (chance(draw, 0.5)) fits.decode.skew = draw.uniform();
  if (chance(draw, 0.5)) fits.decode.per_64_kv = draw.uniform() * unit::us;
  if (chance(draw, 0.5)) fits.gemm.t0 = draw.uniform() * 5 * unit::us;
  if (plan.rules.sliding_window) {
    plan.question.model.sliding_window = plan.rules.sliding_window;
    plan.question.model.sliding_layers = one_of<std::int64_t>(draw, {1, 2});
  }
}

/// Two stages of one layer each; a copy between them takes 10 us and 1 GB/s.
inline void add_pipeline(RandomStream& draw, plan::ServingPlan& plan) {
  perf::CollectiveFit copy;
  copy.collective = hardware::Collective::send_recv;
  copy.alpha = 10 * unit::us;
  copy.busbw = 1 * unit::GB_per_s;
  plan.send_recv = copy;
  plan.question.layout.pipeline_parallel = 2;
  plan.rules.async_scheduling = false;
  // One step passes all stages before the next starts, or each stage has one.
  plan.rules.stages_in_flight = draw.uniform_int(1, 2);
}

inline std::int64_t random_length(RandomStream& draw, std::int64_t usual, std::int64_t rare) {
  return draw.uniform_int(1, chance(draw, 0.1) ? rare : usual);
}

/// Two texts to choose from for each id, so that beginnings are often equal.
inline void add_content(RandomStream& draw, workload::Request& request, std::int64_t id_tokens) {
  if (id_tokens == 0) return;
  for (std::int64_t tokens = id_tokens; tokens <= request.prompt_tokens; tokens += id_tokens) {
    request.prompt_blocks.push_back(static_cast<std::uint64_t>(draw.uniform_int(1, 2)));
  }
}

inline void add_requests(RandomStream& draw, World& world, std::int64_t count) {
  // From a burst to a load that leaves the engine idle for seconds.
  const double gap_ns = one_of(draw, {0.0, 2e5, 2e6, 2e7, 3e9, 3e10});
  const std::int64_t outputs = one_of<std::int64_t>(draw, {1, 8, 60, 60});
  const bool in_pairs = chance(draw, 0.2);  // two equal ones at each instant
  SimTime time;
  for (std::int64_t id = 0; id < count; ++id) {
    if (in_pairs && id % 2 == 1) {
      world.requests.push_back(world.requests.back());
      world.requests.back().id = id;
      continue;
    }
    if (gap_ns > 0) time.ns += static_cast<std::int64_t>(draw.exponential(gap_ns));
    auto request = toy::request(id, time, random_length(draw, 150, 600),
                                random_length(draw, outputs, 5 * outputs));
    add_content(draw, request, world.id_tokens);
    world.requests.push_back(request);
  }
}

/// Moves an arrival to the instant at which a request finishes, and lets that one go on for some
/// tokens, so that a step ends there with which nobody finishes. Up to then all is as it was.
inline void meet_step_end(RandomStream& draw, World& world) {
  Rows told;
  world.run(told, serving::Stepping::reference);
  if (told.rows.empty()) return;
  const auto& row =
      told.rows[static_cast<std::size_t>(draw.uniform_int(0, std::ssize(told.rows) - 1))];
  const std::int64_t front_end = to_sim_time(world.plan.question.engine.profile.host.front_end).ns;
  const SimTime sent{row.finished.ns - front_end};
  const auto next = std::ranges::upper_bound(world.requests, sent, {}, &workload::Request::arrival);
  if (next == world.requests.end() || sent < row.arrival) return;
  next->arrival = sent;
  const auto same = std::ranges::find(world.requests, row.id, &workload::Request::id);
  if (chance(draw, 0.7)) same->output_tokens += draw.uniform_int(1, 20);
  ++world.met_step_ends;
}

}  // namespace random_parts

inline World random_world(std::uint64_t seed, std::int64_t requests = 60) {
  using namespace random_parts;
  RandomStream draw(seed, "world");
  const auto rules = random_rules(draw);
  World world{toy::serving_plan(rules, static_cast<int>(draw.uniform_int(1, 4))), {}, 0, {}, {}};
  world.router = one_of(draw, {serving::Router::round_robin, serving::Router::least_loaded});
  randomise_engine(draw, world.plan);
  if (chance(draw, 0.1)) add_pipeline(draw, world.plan);
  if (chance(draw, 0.05)) {
    world.plan.question.model.encoder = true;
    world.plan.rules.decodes = world.plan.rules.chunked_prefill = false;
  }
  if (chance(draw, 0.3)) world.clients = draw.uniform_int(1, 12);
  if (chance(draw, 0.5)) {
    world.id_tokens = rules.block_tokens * one_of<std::int64_t>(draw, {1, 1, 2, 4});
    if (chance(draw, 0.1)) world.id_tokens = 24;  // of no whole number of blocks
  }
  add_requests(draw, world, requests);
  if (!world.clients && chance(draw, 0.3)) meet_step_end(draw, world);
  return world;
}

}  // namespace toy
