#include "gpucap/perf/step_cost.hpp"

#include <vector>

#include "support/catch.hpp"
#include "support/toy.hpp"

using namespace gpucap;
using perf::Batch;
using perf::Cause;
using perf::StepCost;

namespace {

Batch decode_batch(std::int64_t n, std::int64_t sum, std::int64_t max) {
  Batch batch;
  batch.decodes = batch.sampled = n;
  batch.sum_context = sum;
  batch.max_context = max;
  return batch;
}

Ticks sum_of(const perf::StepWork& step) {
  Ticks sum;
  for (const Ticks part : step.by_cause) sum += part;
  return sum;
}

}  // namespace

TEST_CASE("a decode step by hand: weights and KV once over the bus") {
  const auto plan = toy::serving_plan();
  const StepCost cost(plan.step_cost_inputs());
  // Per layer qkv 64x128, o 64x64, gate and up 64x256, down 128x64; head 64x1000. At batch 1 and
  // 1 GB/s against 1 GFLOP/s the arithmetic (2 FLOP per weight) equals the traffic (2 bytes per
  // weight) but for the activations, so each product costs 1.5 times that: half of it shows.
  const double weights = 2 * (64 * 128 + 64 * 64 + 64 * 256 + 128 * 64) + 64 * 1000;
  const double attention = 2.0 * 2 * 2 * 16 * 2 * 100;  // layers x K and V x heads x dim x bytes
  const double pairs = 2.0 * 2 * 4 * 32 * 100;          // layers x 2 x heads x dims: FLOPs
  const auto step = cost(decode_batch(1, 100, 100));
  CHECK(static_cast<double>(step.flops) == Approx(2 * weights + pairs));
  CHECK(as_seconds(step.time) * 1e9 ==
        Approx(1.5 * 2 * weights + std::max(attention, pairs)).epsilon(0.02));
}

TEST_CASE("n decode steps in closed form equal the steps one by one, bit for bit") {
  const auto plan = toy::serving_plan();
  const StepCost cost(plan.step_cost_inputs());
  const std::int64_t n = 5, sum = 700, max = 300, steps = 1000;
  Ticks one_by_one;
  for (std::int64_t i = 0; i < steps; ++i) {
    one_by_one += cost(decode_batch(n, sum + n * i, max + i)).time;
  }
  const auto& c = cost.decode(n);
  const Ticks first = c.fixed_time + c.per_sum * sum + c.per_max * max + c.gap;
  const Ticks growth = c.per_sum * n + c.per_max;
  CHECK(one_by_one == first * steps + growth * (steps * (steps - 1) / 2));
}

TEST_CASE("causes add up to the time of a step, in every kind of step") {
  auto plan = toy::serving_plan();
  plan.question.engine.profile.host.gap = 1 * unit::ms;
  const StepCost cost(plan.step_cost_inputs());
  const perf::Chunk chunks[] = {{20, 20}, {5, 80}};
  Batch mixed = decode_batch(3, 90, 40);
  mixed.chunks = chunks;
  for (const Batch& batch : {decode_batch(2, 50, 30), mixed}) {
    const auto step = cost(batch);
    CHECK(sum_of(step) == step.time);
    CHECK(step.by_cause[static_cast<std::size_t>(Cause::host)] == to_ticks(1 * unit::ms));
  }
}

TEST_CASE("a host slower than the card decides the step, and gets its time") {
  auto plan = toy::serving_plan();
  plan.question.engine.profile.host.floor_per_layer = 1 * unit::s;
  const StepCost cost(plan.step_cost_inputs());
  const auto step = cost(decode_batch(1, 10, 10));
  CHECK(step.time == to_ticks(2 * unit::s));
  CHECK(step.by_cause[static_cast<std::size_t>(Cause::host)] == step.time);
}

TEST_CASE("more bandwidth is never slower") {
  auto slow = toy::serving_plan();
  auto fast = toy::serving_plan();
  fast.question.node.gpu.memory_bandwidth = 2 * unit::GB_per_s;
  const StepCost a(slow.step_cost_inputs()), b(fast.step_cost_inputs());
  for (std::int64_t n = 1; n <= 8; ++n) {
    CHECK(b(decode_batch(n, 100 * n, 100)).time < a(decode_batch(n, 100 * n, 100)).time);
  }
}

TEST_CASE("a batch runs at the next captured size, above the largest as it is") {
  perf::EngineProfile engine;
  engine.graph_sizes = perf::EngineProfile::GraphSizes{{1, 2, 4}, {{8, 256}, {16, 512}}, true};
  const perf::GraphPadding padding(engine, 128, 2048);
  CHECK(padding.padded(3) == 4);
  CHECK(padding.padded(5) == 8);
  CHECK(padding.padded(8) == 8);
  CHECK(padding.padded(249) == 256);
  CHECK(padding.padded(257) == 257);  // captured up to twice 128
  const perf::GraphPadding wide(engine, 256, 2048);
  CHECK(wide.padded(257) == 272);
  CHECK(wide.sizes().size() == 3 + 32 + 16);  // 1, 2, 4; 8 to 256; 272 to 512
}

TEST_CASE("two cards pay two all-reduces a layer and one for the embedding") {
  auto plan = toy::serving_plan();
  plan.question.layout.tensor_parallel = 2;
  perf::CollectiveFit reduce;
  reduce.ranks = 2;
  reduce.busbw = 1e6 * unit::GB_per_s;
  reduce.alpha = 10 * unit::us;
  reduce.q = 50;  // alpha or transfer, whichever is longer
  plan.all_reduce = reduce;
  const StepCost cost(plan.step_cost_inputs());
  const auto link = cost(decode_batch(1, 10, 10)).by_cause[static_cast<std::size_t>(Cause::link)];
  CHECK(as_seconds(link) * 1e6 == Approx(10 * (2 * 2 + 1 + 1)));  // and the gathering of logits
}
