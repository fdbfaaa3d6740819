#include "gpucap/evaluate/serving.hpp"

#include <cmath>
#include <numeric>

#include "support/catch.hpp"
#include "support/toy.hpp"

using namespace gpucap;
using evaluate::Outcome;

namespace {

constexpr double idle_w = 20, floor_share = 0.35, tdp_w = 100;

evaluate::ServingCase toy_case(const plan::SchedulerRules& rules = toy::rules(), int replicas = 1) {
  evaluate::ServingCase one;
  one.name = "toy";
  one.plan = toy::serving_plan(rules, replicas);
  one.plan.question.node.count = replicas;
  one.plan.question.node.gpu.idle_loaded = idle_w * unit::W;
  one.plan.question.node.gpu.idle_sleep = idle_w * unit::W;
  one.plan.question.calibration.power.active_floor = floor_share;
  one.plan.question.calibration.power.compute = 0.5;
  one.plan.question.calibration.power.memory = 0.3;
  one.terms.price = account::price_given({3'600'000, *Currency::parse("EUR")});  // 0.001 per s
  return one;
}

/// `count` requests of 50 + 20 tokens, one every `every_ms`.
workload::Load load_of(int count, std::int64_t every_ms = 0) {
  std::vector<workload::Request> requests;
  for (int i = 0; i < count; ++i) {
    requests.push_back(toy::request(i, {i * every_ms * 1'000'000}, 50, 20));
  }
  return toy::open_loop(std::move(requests));
}

void check_order(const Summary& s) {
  REQUIRE(s.n > 0);
  CHECK(*s.p50 <= *s.p90);
  CHECK(*s.p90 <= *s.p95);
  CHECK(*s.p95 <= *s.p99);
  CHECK(*s.p99 <= *s.max);
  CHECK(*s.mean <= *s.max * (1 + 1e-12));  // the mean of equal values is rounded
}

}  // namespace

TEST_CASE("an infeasible candidate has a reason, a price and no result") {
  auto one = toy_case();
  one.plan.feasible = false;
  one.plan.reason = "weights need 15 GiB";
  const Outcome outcome = evaluate::evaluate(one, load_of(5));
  CHECK_FALSE(outcome.feasible);
  CHECK(*outcome.reason == "weights need 15 GiB");
  CHECK(*outcome.cost.per_hour == Approx(3.6));
  CHECK_FALSE(outcome.cost.run.has_value());
  CHECK_FALSE(outcome.cost.per_million_output_tokens.has_value());
  CHECK_FALSE(outcome.cost.idle_share.has_value());
  CHECK_FALSE(outcome.energy.kwh.has_value());
  CHECK_FALSE(outcome.throughput.makespan_s.has_value());
  CHECK_FALSE(outcome.e2e_s.p95.has_value());
  CHECK_FALSE(outcome.bottleneck.has_value());
  CHECK(outcome.requests.arrived == 0);
}

TEST_CASE("a constant request that this candidate can never hold makes it infeasible") {
  auto rules = toy::rules();
  rules.kv_blocks = 4;  // 64 tokens, a request has 70
  auto one = toy_case(rules);
  one.constant_tokens = 70;
  const Outcome outcome = evaluate::evaluate(one, load_of(5));
  CHECK_FALSE(outcome.feasible);
  CHECK(*outcome.reason == "every request has 70 tokens, the KV cache holds 64");
  one.constant_tokens = 64;
  CHECK(evaluate::evaluate(one, load_of(5)).feasible);
}

TEST_CASE("requests that never fit are refused and counted, the rest are served") {
  auto one = toy_case();
  std::vector<workload::Request> requests;
  for (int i = 0; i < 10; ++i) requests.push_back(toy::request(i, {}, i < 3 ? 5000 : 50, 20));
  const Outcome outcome = evaluate::evaluate(one, toy::open_loop(std::move(requests)));
  CHECK(outcome.feasible);
  CHECK(outcome.requests.arrived == 10);
  CHECK(outcome.requests.refused == 3);
  CHECK(outcome.requests.finished == 7);
  CHECK(outcome.output_tokens == 7 * 20);
  CHECK(outcome.input_tokens == 7 * 50);
}

TEST_CASE("when every request is refused there is no cost per token and the reason says why") {
  auto one = toy_case();
  const Outcome outcome = evaluate::evaluate(one, toy::open_loop({toy::request(0, {}, 5000, 20)}));
  CHECK(outcome.requests.refused == 1);
  CHECK(*outcome.reason == "all 1 requests were refused: longer than 4096 tokens");
  CHECK_FALSE(outcome.cost.run.has_value());
  CHECK_FALSE(outcome.energy.joules_per_output_token.has_value());
  CHECK_FALSE(outcome.ttft_s.mean.has_value());
}

TEST_CASE("bottleneck shares sum to 1 and the largest is the bottleneck") {
  for (const std::int64_t blocks : {6, 12, 64}) {
    auto rules = toy::rules();
    rules.kv_blocks = blocks;
    const Outcome outcome = evaluate::evaluate(toy_case(rules), load_of(30));
    const auto& shares = outcome.bottleneck_shares;
    CHECK(std::accumulate(shares.begin(), shares.end(), 0.0) == Approx(1).epsilon(1e-12));
    const auto largest = std::max_element(shares.begin(), shares.end()) - shares.begin();
    CHECK(*outcome.bottleneck == static_cast<record::Cause>(largest));
  }
}

TEST_CASE("the cost of a run is the hours held, by the second, times the rate") {
  const Outcome outcome = evaluate::evaluate(toy_case(), load_of(40, 100));
  // 3.60 EUR/h is 0.001 EUR per started second.
  const double billed = std::ceil(*outcome.throughput.makespan_s) * 0.001;
  CHECK(*outcome.cost.run == Approx(billed).epsilon(1e-9));
  CHECK(*outcome.cost.per_month == Approx(3.6 * 730));
  CHECK(*outcome.cost.per_1000_requests == Approx(billed / 40 * 1000));
  CHECK(*outcome.cost.per_million_output_tokens == Approx(billed / (40 * 20) * 1e6));
  CHECK(*outcome.cost.per_million_input_tokens == Approx(billed / (40 * 50) * 1e6));
  const double busy_s = *outcome.utilization.busy * *outcome.throughput.makespan_s;
  CHECK(*outcome.cost.idle_share ==
        Approx(1 - busy_s / std::ceil(*outcome.throughput.makespan_s)).epsilon(1e-6));
}

TEST_CASE("no share of time, peak, bandwidth or pool exceeds 1, percentiles never fall") {
  for (const int replicas : {1, 2, 3}) {
    for (const std::int64_t every_ms : {0, 5, 500}) {
      INFO(replicas << " replicas, one request every " << every_ms << " ms");
      const Outcome outcome =
          evaluate::evaluate(toy_case(toy::rules(), replicas), load_of(40, every_ms));
      for (const auto& part :
           {outcome.utilization.busy, outcome.utilization.compute,
            outcome.utilization.memory_bandwidth, outcome.utilization.kv_cache_mean}) {
        CHECK(*part > 0);
        CHECK(*part <= 1);
      }
      for (const Summary& summary :
           {outcome.queue_s, outcome.ttft_s, outcome.tpot_s, outcome.itl_s, outcome.e2e_s}) {
        check_order(summary);
      }
      CHECK(*outcome.e2e_s.mean >= *outcome.ttft_s.mean);
      CHECK(*outcome.ttft_s.mean >= *outcome.queue_s.mean);
      CHECK(outcome.itl_s.n == 40 * 19);
    }
  }
}

TEST_CASE("energy lies between idle and TDP, and is that of the shares of a run by hand") {
  for (const std::int64_t every_ms : {0, 500}) {
    const Outcome outcome = evaluate::evaluate(toy_case(), load_of(40, every_ms));
    CHECK(*outcome.energy.mean_w >= idle_w);
    CHECK(*outcome.energy.mean_w <= tdp_w);
    const double joules = *outcome.energy.kwh * 3.6e6;
    CHECK(joules == Approx(*outcome.energy.mean_w * *outcome.throughput.makespan_s));
    CHECK(*outcome.energy.joules_per_output_token == Approx(joules / (40 * 20)));
    // idle watts while idle; floor + 0.5 u_compute + 0.3 u_memory of 100 W while busy, where the
    // shares of peak and bandwidth over the run count once.
    const double busy = *outcome.utilization.busy;
    const double watts = idle_w * (1 - busy) + floor_share * tdp_w * busy +
                         0.5 * tdp_w * *outcome.utilization.compute +
                         0.3 * tdp_w * *outcome.utilization.memory_bandwidth;
    CHECK(*outcome.energy.mean_w == Approx(watts).epsilon(1e-6));
  }
}

TEST_CASE("a load that comes faster than it is served is overloaded; one at a time is not") {
  // One request takes about 20 steps that read the weights; measured here, not assumed.
  const Outcome calm = evaluate::evaluate(toy_case(), load_of(100, 1000));
  CHECK_FALSE(calm.overloaded);
  const Outcome flood = evaluate::evaluate(toy_case(), load_of(400, 2));
  CHECK(flood.overloaded);
  CHECK(flood.reason.has_value());
  CHECK(*flood.ttft_s.p50 > *calm.ttft_s.p50);
}

TEST_CASE("a dearer node costs more and changes nothing else") {
  auto dear = toy_case();
  dear.terms.price = account::price_given({7'200'000, *Currency::parse("EUR")});
  const Outcome cheap_run = evaluate::evaluate(toy_case(), load_of(20, 10));
  const Outcome dear_run = evaluate::evaluate(dear, load_of(20, 10));
  CHECK(*dear_run.cost.run == Approx(2 * *cheap_run.cost.run));
  CHECK(*dear_run.throughput.makespan_s == *cheap_run.throughput.makespan_s);
  CHECK(*dear_run.energy.kwh == *cheap_run.energy.kwh);
}

TEST_CASE("the bill adds up to the cost of the run") {
  const auto one = toy_case();
  const Outcome outcome = evaluate::evaluate(one, load_of(40, 100));
  std::int64_t micro = 0;
  for (const auto& line : evaluate::bill(one, outcome, *pricing::Date::parse("2026-11-09"))) {
    micro += line.billed_cost.micro;
  }
  CHECK(static_cast<double>(micro) * 1e-6 == Approx(*outcome.cost.run));
}
