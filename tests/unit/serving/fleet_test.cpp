#include "gpucap/serving/fleet.hpp"

#include "support/catch.hpp"
#include "support/toy.hpp"

using namespace gpucap;
using serving::Router;

namespace {

serving::FleetRecord run(const plan::ServingPlan& plan, workload::Load load, toy::Rows& rows,
                         Router router = Router::round_robin) {
  return serving::simulate(plan, std::move(load), router, {&rows});
}

}  // namespace

TEST_CASE("one request alone takes the sum of its steps, to the tick") {
  const auto plan = toy::serving_plan();
  toy::Rows rows;
  run(plan, toy::open_loop({toy::request(0, {1000}, 50, 3)}), rows);
  const perf::StepCost cost(plan.step_cost_inputs());
  perf::Batch prompt;
  const perf::Chunk chunk[] = {{50, 50}};
  prompt.chunks = chunk;
  prompt.sampled = 1;
  const auto decode = [](std::int64_t context) {
    perf::Batch batch;
    batch.decodes = batch.sampled = 1;
    batch.sum_context = batch.max_context = context;
    return batch;
  };
  const Ticks first = to_ticks(SimTime{1000}) + cost(prompt).time;
  const Ticks end = first + cost(decode(51)).time + cost(decode(52)).time;
  REQUIRE(rows.rows.size() == 1);
  CHECK(rows.rows[0].scheduled.ns == 1000);
  CHECK(rows.rows[0].first_token == shown(first));
  CHECK(rows.rows[0].finished == shown(end));
}

TEST_CASE("asynchronous scheduling costs one step of waiting and nothing else") {
  auto rules = toy::rules();
  toy::Rows alone, plain, async;
  const auto both = [] {
    return toy::open_loop({toy::request(0, {0}, 32, 40), toy::request(1, {1}, 32, 2)});
  };
  run(toy::serving_plan(rules), both(), plain);
  rules.async_scheduling = true;
  run(toy::serving_plan(rules), both(), async);
  run(toy::serving_plan(rules), toy::open_loop({toy::request(0, {0}, 32, 40)}), alone);
  const auto of = [](const toy::Rows& rows, std::int64_t id) {
    for (const auto& row : rows.rows) {
      if (row.id == id) return row;
    }
    throw std::logic_error("no such request");
  };
  // Arrived during step 1: scheduled for step 2 when synchronous, for step 3 when asynchronous.
  CHECK(of(plain, 1).first_token < of(async, 1).first_token);
  CHECK(of(plain, 0).first_token == of(async, 0).first_token);
  CHECK(of(alone, 0).first_token == of(async, 0).first_token);
}

TEST_CASE("round robin alternates, least loaded avoids the busy replica") {
  const auto plan = toy::serving_plan(toy::rules(), 2);
  const auto load = [] {
    return toy::open_loop({toy::request(0, {0}, 32, 400), toy::request(1, {1}, 32, 1),
                           toy::request(2, {900'000'000}, 32, 1)});
  };
  toy::Rows robin, least;
  run(plan, load(), robin);
  run(plan, load(), least, Router::least_loaded);
  const auto replica_of = [](const toy::Rows& rows, std::int64_t id) {
    for (const auto& row : rows.rows) {
      if (row.id == id) return row.replica;
    }
    return std::int64_t{-1};
  };
  CHECK(replica_of(robin, 2) == 0);
  CHECK(replica_of(least, 1) == 1);
}

TEST_CASE("a closed loop keeps its number of clients in the system") {
  std::vector<workload::Request> requests;
  for (int i = 0; i < 20; ++i) requests.push_back(toy::request(i, {0}, 20, 5));
  workload::Load load = toy::open_loop(requests);
  load.clients = 3;
  toy::Rows rows;
  const auto record = run(toy::serving_plan(), std::move(load), rows);
  CHECK(record.finished == 20);
  // With equal requests three finish together, and three new ones arrive at that instant.
  for (std::size_t i = 3; i < rows.rows.size(); ++i) {
    CHECK(rows.rows[i].arrival == rows.rows[i - 3].finished);
  }
}

TEST_CASE("a request larger than the pool is refused at once and the queue moves on") {
  auto rules = toy::rules();
  rules.kv_blocks = 8;
  toy::Rows rows;
  const auto record =
      run(toy::serving_plan(rules),
          toy::open_loop({toy::request(0, {0}, 2000, 5), toy::request(1, {0}, 20, 5)}), rows);
  CHECK(record.arrived == 2);
  CHECK(record.refused == 1);
  CHECK(record.finished == 1);
  CHECK(rows.refusals == 1);
}

TEST_CASE("an encoder ends a request with its pass, puts out no token and keeps no block") {
  for (const bool async : {false, true}) {
    auto rules = toy::rules();
    rules.decodes = rules.chunked_prefill = rules.prefix_caching = false;
    rules.async_scheduling = async;
    auto plan = toy::serving_plan(rules);
    plan.question.model.encoder = true;
    toy::Rows rows;
    // Two of 40 tokens do not fit a step of 64 whole, so the second runs after the first.
    const auto record =
        run(plan, toy::open_loop({toy::request(0, {0}, 40, 7), toy::request(1, {0}, 40, 7)}), rows);
    REQUIRE(rows.rows.size() == 2);
    for (const auto& row : rows.rows) {
      CHECK(row.output_tokens == 0);
      CHECK(row.finished == row.first_token);
    }
    CHECK(std::abs(rows.rows[1].finished.ns - 2 * rows.rows[0].finished.ns) <= 1);  // rounded up
    CHECK(rows.gaps.empty());
    CHECK(record.blocks_left == 0);
    CHECK(record.timelines[0].total(record::State::prefill).output_tokens == 0);
    CHECK(record.timelines[0].total(record::State::decode).steps == 0);
  }
}
