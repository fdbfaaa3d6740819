// Laws that hold whatever the workload, engine or layout: checked on random ones.
#include "gpucap/serving/fleet.hpp"

#include <algorithm>

#include "support/catch.hpp"
#include "support/random_world.hpp"

using namespace gpucap;

namespace {

std::int64_t total_output(const toy::Rows& rows) {
  std::int64_t tokens = 0;
  for (const auto& row : rows.rows) tokens += row.output_tokens;
  return tokens;
}

}  // namespace

TEST_CASE("every request is finished or refused once, no block and no token is lost") {
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    INFO("seed " << seed);
    const toy::World world = toy::random_world(seed);
    toy::Rows rows;
    const auto record = world.run(rows);
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
    // A request of n tokens has n - 1 gaps; an encoder gives none.
    REQUIRE(gaps == (world.plan.rules.decodes ? total_output(rows) - record.finished : 0));
  }
}

TEST_CASE("a request is scheduled, answered and finished in this order; time never runs back") {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    INFO("seed " << seed);
    toy::Rows rows;
    const auto record = toy::random_world(seed).run(rows);
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
    toy::random_world(seed).run(once);
    toy::random_world(seed).run(twice);
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
    const auto record = toy::random_world(seed).run(rows);
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
