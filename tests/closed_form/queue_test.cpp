// Queues with a known answer, served by the real engine model.
#include "gpucap/core/random.hpp"
#include "gpucap/serving/fleet.hpp"

#include "support/catch.hpp"
#include "support/toy.hpp"

using namespace gpucap;

namespace {

/// Requests of one prompt step each, one at a time: the service time is constant.
plan::ServingPlan one_server() {
  auto rules = toy::rules();
  rules.max_num_seqs = 1;
  rules.prefix_caching = false;
  return toy::serving_plan(rules);
}

Seconds service_time(const plan::ServingPlan& plan) {
  const perf::Chunk chunk[] = {{32, 32}};
  perf::Batch batch;
  batch.chunks = chunk;
  batch.sampled = 1;
  return as_seconds(perf::StepCost(plan.step_cost_inputs())(batch).time) * unit::s;
}

double mean_wait_in_service_times(double load, std::int64_t customers) {
  const auto plan = one_server();
  const Seconds service = service_time(plan);
  RandomStream arrivals(11, "arrivals");
  std::vector<workload::Request> requests;
  Seconds time;
  for (std::int64_t i = 0; i < customers; ++i) {
    time += arrivals.exponential(1) * (service / load);
    requests.push_back(toy::request(i, to_sim_time(time), 32, 1));
  }
  toy::Rows rows;
  serving::simulate(plan, toy::open_loop(requests), serving::Router::round_robin, {&rows});
  double wait = 0;
  for (const auto& row : rows.rows) wait += as_seconds(row.scheduled) - as_seconds(row.arrival);
  return wait / static_cast<double>(customers) / service.in(unit::s);
}

}  // namespace

TEST_CASE("M/D/1: constant service at 90 % load waits 4.5 service times (Pollaczek-Khinchine)") {
  // rho / (2 (1 - rho)) = 4.5; M/M/1 would be 9. The sample mean of 4e5 customers has a standard
  // error of about 2 %.
  CHECK(mean_wait_in_service_times(0.9, 400000) == Approx(4.5).epsilon(0.06));
}

TEST_CASE("M/D/1: at 50 % load it waits half a service time") {
  CHECK(mean_wait_in_service_times(0.5, 200000) == Approx(0.5).epsilon(0.03));
}
