// What sinks are told while a run goes on, and in which order: OverloadDetector relies on it.
#include "gpucap/serving/fleet.hpp"

#include <algorithm>
#include <vector>

#include "support/catch.hpp"
#include "support/random_world.hpp"

using namespace gpucap;

namespace {

constexpr std::uint64_t worlds = 400;

/// Keeps arrivals, finishes and refusals as they are told.
struct Told : record::Sink {
  struct Arrival {
    SimTime time;
    std::int64_t queue_length;
    std::int64_t refused_before;
  };
  std::vector<Arrival> arrivals;
  std::vector<record::RequestRow> rows;
  std::vector<SimTime> times;  ///< of all calls
  std::int64_t refusals = 0;

  void arrived(std::int64_t, SimTime time, std::int64_t queue_length) override {
    times.push_back(time);
    arrivals.push_back({time, queue_length, refusals});
  }
  void finished(const record::RequestRow& row) override {
    times.push_back(row.finished);
    rows.push_back(row);
  }
  void refused(std::int64_t, SimTime time) override {
    times.push_back(time);
    ++refusals;
  }
};

/// Without preemption, which sends requests back to the queue, and without a front end, in which
/// requests are on their way to it, nobody waits but those that have not been scheduled.
bool queue_follows_from_rows(const toy::World& world, const Told& told) {
  return to_sim_time(world.plan.question.engine.profile.host.front_end).ns == 0 &&
         std::all_of(told.rows.begin(), told.rows.end(),
                     [](const auto& row) { return row.preemptions == 0; });
}

}  // namespace

TEST_CASE("arrivals, finishes and refusals are told in order of time") {
  for (const auto stepping : {serving::Stepping::jumps, serving::Stepping::reference}) {
    for (std::uint64_t seed = 0; seed < worlds; ++seed) {
      INFO("seed " << seed);
      Told told;
      toy::random_world(seed).run(told, stepping);
      REQUIRE(told.times.size() == 120);  // 60 requests come and go
      REQUIRE(std::is_sorted(told.times.begin(), told.times.end()));
    }
  }
}

TEST_CASE("an arrival is told how many came before and were neither refused nor scheduled") {
  // Decisions of an instant come after its arrivals: those scheduled at it still wait.
  int worlds_seen = 0, queues_seen = 0;
  for (std::uint64_t seed = 0; seed < worlds; ++seed) {
    INFO("seed " << seed);
    const toy::World world = toy::random_world(seed);
    Told told;
    world.run(told);
    if (!queue_follows_from_rows(world, told)) continue;
    ++worlds_seen;
    for (std::size_t i = 0; i < told.arrivals.size(); ++i) {
      const auto& [now, queue_length, refused_before] = told.arrivals[i];
      const auto scheduled =
          std::count_if(told.rows.begin(), told.rows.end(),
                        [&, now = now](const auto& row) { return row.scheduled < now; });
      REQUIRE(queue_length == static_cast<std::int64_t>(i) - refused_before - scheduled);
      queues_seen += queue_length > 0 ? 1 : 0;
    }
  }
  // Enough of them, and not only empty queues.
  CHECK(worlds_seen > 100);
  CHECK(queues_seen > 1000);
}
