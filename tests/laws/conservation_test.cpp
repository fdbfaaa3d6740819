// Laws that hold whatever the workload, engine or layout: checked on random ones.
#include "gpucap/core/random.hpp"
#include "gpucap/serving/fleet.hpp"

#include <algorithm>
#include <sstream>

#include "support/catch.hpp"
#include "support/toy.hpp"

using namespace gpucap;
using Batching = perf::EngineProfile::Batching;

namespace {

struct World {
  plan::ServingPlan plan;
  std::vector<workload::Request> requests;
  std::int64_t id_tokens = 0;
  std::optional<std::int64_t> clients;
  serving::Router router = serving::Router::round_robin;
};

/// Two stages of one layer each; a copy between them takes 10 us and 1 GB/s.
void add_pipeline(plan::ServingPlan& plan) {
  perf::CollectiveFit copy;
  copy.collective = hardware::Collective::send_recv;
  copy.alpha = 10 * unit::us;
  copy.busbw = 1 * unit::GB_per_s;
  plan.send_recv = copy;
  plan.question.layout.pipeline_parallel = 2;
  plan.rules.async_scheduling = false;
  plan.rules.stages_in_flight = 2;
}

World random_world(std::uint64_t seed) {
  RandomStream draw(seed, "world");
  auto rules = toy::rules();
  rules.batching = static_cast<Batching>(draw.uniform_int(0, 2));
  rules.chunked_prefill = rules.batching == Batching::continuous && draw.uniform() < 0.8;
  rules.prefix_caching = draw.uniform() < 0.5;
  rules.async_scheduling = draw.uniform() < 0.5;
  rules.reserve_full_prompt = draw.uniform() < 0.5;
  rules.max_num_seqs = draw.uniform_int(1, 10);
  rules.max_num_batched_tokens = draw.uniform_int(8, 128);
  rules.kv_blocks = draw.uniform_int(6, 40);
  rules.watermark_blocks = draw.uniform_int(0, 2);
  World world{toy::serving_plan(rules, static_cast<int>(draw.uniform_int(1, 3))), {}, 0, {}, {}};
  world.router =
      draw.uniform() < 0.5 ? serving::Router::round_robin : serving::Router::least_loaded;
  if (draw.uniform() < 0.3) add_pipeline(world.plan);
  if (draw.uniform() < 0.3) world.clients = draw.uniform_int(1, 6);
  world.id_tokens = draw.uniform() < 0.5 ? 16 : 0;
  SimTime time;
  for (std::int64_t id = 0; id < 60; ++id) {
    time.ns += static_cast<std::int64_t>(draw.exponential(2e6));
    auto request = toy::request(id, time, draw.uniform_int(1, 150), draw.uniform_int(1, 60));
    for (std::int64_t b = 0; world.id_tokens > 0 && b < request.prompt_tokens / 16; ++b) {
      request.prompt_blocks.push_back(static_cast<std::uint64_t>(draw.uniform_int(1, 2)));
    }
    world.requests.push_back(request);
  }
  return world;
}

serving::FleetRecord run(const World& world, toy::Rows& rows) {
  workload::Load load = toy::open_loop(world.requests, world.id_tokens);
  load.clients = world.clients;
  return serving::simulate(world.plan, std::move(load), world.router, {&rows});
}

std::int64_t total_output(const toy::Rows& rows) {
  std::int64_t tokens = 0;
  for (const auto& row : rows.rows) tokens += row.output_tokens;
  return tokens;
}

}  // namespace

TEST_CASE("every request is finished or refused once, no block and no token is lost") {
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    INFO("seed " << seed);
    const World world = random_world(seed);
    toy::Rows rows;
    const auto record = run(world, rows);
    REQUIRE(record.arrived == 60);
    REQUIRE(record.finished + record.refused == record.arrived);
    REQUIRE(record.blocks_left == 0);
    std::int64_t sampled = 0, gaps = 0;
    for (const auto& timeline : record.timelines) {
      sampled += timeline.total(record::State::decode).output_tokens +
                 timeline.total(record::State::prefill).output_tokens;
    }
    for (const auto& [gap, count] : rows.gaps) gaps += count;
    REQUIRE(sampled == total_output(rows));
    REQUIRE(gaps == total_output(rows) - record.finished);  // a request of n tokens has n - 1 gaps
  }
}

TEST_CASE("a request is scheduled, answered and finished in this order; time never runs back") {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    INFO("seed " << seed);
    toy::Rows rows;
    const auto record = run(random_world(seed), rows);
    SimTime before;
    for (const auto& row : rows.rows) {
      REQUIRE(row.arrival <= row.scheduled);
      REQUIRE(row.scheduled < row.first_token);
      REQUIRE(row.first_token <= row.finished);
      REQUIRE(before <= row.finished);
      before = row.finished;
    }
    REQUIRE((rows.rows.empty() || record.end == before));
  }
}

TEST_CASE("the same world gives the same record, to the nanosecond") {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    toy::Rows once, twice;
    run(random_world(seed), once);
    run(random_world(seed), twice);
    REQUIRE(once.rows.size() == twice.rows.size());
    for (std::size_t i = 0; i < once.rows.size(); ++i) {
      REQUIRE(once.rows[i].id == twice.rows[i].id);
      REQUIRE(once.rows[i].finished == twice.rows[i].finished);
    }
  }
}

TEST_CASE("busy time is never more than the time that passed") {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    toy::Rows rows;
    const auto record = run(random_world(seed), rows);
    for (const auto& timeline : record.timelines) {
      const Ticks busy =
          timeline.total(record::State::decode).time + timeline.total(record::State::prefill).time;
      REQUIRE(shown(busy) <= record.end);
    }
  }
}

TEST_CASE("Little's law: requests in the system equal rate times time in the system") {
  // Integral of (running + waiting) over time = sum of times from arrival to finish, for one
  // replica that is never idle between the first arrival and the last completion.
  auto plan = toy::serving_plan();
  std::vector<workload::Request> requests;
  for (int i = 0; i < 50; ++i) requests.push_back(toy::request(i, {0}, 40, 20));
  toy::Rows rows;
  const auto record =
      serving::simulate(plan, toy::open_loop(requests), serving::Router::round_robin, {&rows});
  Ticks in_system, in_requests;
  for (const auto& bucket : record.timelines[0].buckets()) {
    in_system += bucket.running_time + bucket.waiting_time;
  }
  for (const auto& row : rows.rows) in_requests += to_ticks(row.finished) - to_ticks(row.arrival);
  CHECK(as_seconds(in_system) == Approx(as_seconds(in_requests)).epsilon(1e-6));
}
