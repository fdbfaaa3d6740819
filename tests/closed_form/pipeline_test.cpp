// Pipeline stages against what can be said without simulating.
#include "gpucap/serving/fleet.hpp"

#include <algorithm>

#include "support/catch.hpp"
#include "support/toy.hpp"

using namespace gpucap;

namespace {

/// Stages of the toy model, one layer each, with copies between them that cost nothing.
plan::ServingPlan pipeline(int stages, std::int64_t max_num_seqs) {
  auto rules = toy::rules();
  rules.stages_in_flight = stages;
  rules.max_num_seqs = max_num_seqs;
  rules.prefix_caching = false;
  plan::ServingPlan plan = toy::serving_plan(rules);
  plan.question.model.layers = 4;
  plan.question.layout.pipeline_parallel = stages;
  perf::CollectiveFit copy;
  copy.collective = hardware::Collective::send_recv;
  copy.busbw = 1e9 * unit::GB_per_s;
  plan.send_recv = copy;
  return plan;
}

SimTime end_of(const plan::ServingPlan& plan, std::vector<workload::Request> requests) {
  toy::Rows rows;
  return serving::simulate(plan, toy::open_loop(std::move(requests)), {}, {&rows}).end;
}

/// `count` prompts of a whole step each, so that every one is a batch of its own.
std::vector<workload::Request> prompts(std::int64_t count) {
  std::vector<workload::Request> requests;
  for (std::int64_t i = 0; i < count; ++i) requests.push_back(toy::request(i, {0}, 64, 1));
  return requests;
}

}  // namespace

TEST_CASE("one request passes the stages one after the other and gains nothing") {
  // Its steps never overlap: a token must be back before the next. Stages add up to the model.
  const auto one = end_of(pipeline(1, 8), {toy::request(0, {0}, 64, 20)});
  const auto four = end_of(pipeline(4, 8), {toy::request(0, {0}, 64, 20)});
  CHECK(static_cast<double>(four.ns) == Approx(static_cast<double>(one.ns)).epsilon(1e-6));
}

TEST_CASE("with enough independent batches a pipeline is held up by its slowest stage alone") {
  // n prompt steps through P stages: the first one fills them, then one leaves per step of the
  // slowest stage, the last, which also has the head: T = sum of all stages + (n - 1) t_last.
  const plan::ServingPlan plan = pipeline(4, 64);
  const auto costs = plan.stage_costs();
  const std::vector<perf::Chunk> chunks{{64, 64}};
  perf::Batch batch;
  batch.chunks = chunks;
  batch.sampled = 1;
  Ticks sum, last;
  for (const auto& cost : costs) sum += last = cost(batch).time;
  const std::int64_t n = 12;
  const double expected = as_seconds(sum) + static_cast<double>(n - 1) * as_seconds(last);
  CHECK(as_seconds(end_of(plan, prompts(n))) == Approx(expected).epsilon(1e-6));
}

TEST_CASE("equal stages multiply the throughput of one card by their number, less the filling") {
  // Without the head's share the four stages are alike; n batches take (n + 3)/4 of one card's
  // time.
  plan::ServingPlan one = pipeline(1, 64), four = pipeline(4, 64);
  one.question.model.vocab = four.question.model.vocab = 1;
  const std::int64_t n = 40;
  const auto alone = static_cast<double>(end_of(one, prompts(n)).ns);
  const auto piped = static_cast<double>(end_of(four, prompts(n)).ns);
  CHECK(alone / piped == Approx(4.0 * n / (n + 3)).epsilon(0.01));
}

TEST_CASE("a stage is busy only while it computes") {
  toy::Rows rows;
  const auto plan = pipeline(4, 8);
  const auto record =
      serving::simulate(plan, toy::open_loop({toy::request(0, {0}, 64, 20)}), {}, {&rows});
  REQUIRE(record.timelines.size() == 4);
  Ticks busy;
  for (const auto& timeline : record.timelines) {
    for (const auto state : {record::State::decode, record::State::prefill}) {
      busy += timeline.total(state).time;
    }
  }
  // One request: exactly one stage works at any time.
  CHECK(as_seconds(busy) == Approx(as_seconds(record.end)).epsilon(1e-6));
}

TEST_CASE("requests in flight are not scheduled again, so one trip gives each one token") {
  // Two requests that fit one step are decided together and stay together: the pipeline holds one
  // step at a time and a second stage brings nothing.
  const auto pair = [] {
    return std::vector<workload::Request>{toy::request(0, {0}, 16, 30),
                                          toy::request(1, {0}, 16, 30)};
  };
  const auto one = static_cast<double>(end_of(pipeline(1, 8), pair()).ns);
  CHECK(static_cast<double>(end_of(pipeline(4, 8), pair()).ns) == Approx(one).epsilon(1e-6));
  // One sequence a step and a budget of one prompt: they take turns, and both stages work.
  auto apart = pipeline(4, 8);
  apart.rules.max_num_batched_tokens = 16;
  auto together = pipeline(1, 8);
  together.rules.max_num_batched_tokens = 16;
  CHECK(end_of(apart, pair()).ns < end_of(together, pair()).ns);
}
