#include "gpucap/perf/step_cost.hpp"

#include "gpucap/perf/layer_work.hpp"

#include <stdexcept>
#include <utility>
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
  const Ticks first{c.fixed_time + c.per_sum * sum + c.per_max * max + c.gap};
  const Ticks growth{c.per_sum * n + c.per_max};
  CHECK(one_by_one == first * steps + growth * (steps * (steps - 1) / 2));
}

TEST_CASE("coefficients of a batch size stay where they are, whatever is asked for later") {
  auto plan = toy::serving_plan();
  StepCost cost(plan.step_cost_inputs());
  const StepCost::Decode* const first = &cost.decode(1);
  for (std::int64_t n = 2; n <= 300; ++n) CHECK(&cost.decode(n) != first);
  const StepCost moved = std::move(cost);
  CHECK(&moved.decode(1) == first);
}

TEST_CASE("a step costs the same whatever was asked for before it") {
  auto plan = toy::serving_plan();
  plan.question.engine.profile.graph_sizes =
      perf::EngineProfile::GraphSizes{{1, 2, 4, 8}, {}, false};
  const StepCost used(plan.step_cost_inputs());
  for (std::int64_t q = 40; q > 0; --q) {
    const perf::Chunk chunk{q, q + 3};
    Batch batch = decode_batch(q % 3, 10 * (q % 3), 10);
    batch.chunks = {&chunk, 1};
    const auto fresh = StepCost(plan.step_cost_inputs())(batch);
    CHECK(used(batch).by_cause == fresh.by_cause);
    CHECK(used(batch).flops == fresh.flops);
    CHECK(used(batch).bytes == fresh.bytes);
  }
}

TEST_CASE("attention that context makes faster is refused") {
  auto plan = toy::serving_plan();
  plan.question.calibration.decode.skew = 1.5;
  plan.question.calibration.decode.unsplit_share_of_sms = 0.1;
  const StepCost cost(plan.step_cost_inputs());
  CHECK_THROWS_AS(cost.decode(4), std::invalid_argument);
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

TEST_CASE("latent attention: decodes stay in the latent, prompts run over whole heads") {
  auto plan = toy::serving_plan();
  auto& model = plan.question.model;
  // 4 heads of 12 + 4, values of 12, from a latent of 32 + 4.
  model.latent = models::LatentAttention{0, 32, 12, 4, 12};
  const perf::LayerWork work(plan.step_cost_inputs());
  const auto decode = work.decode_attention(1, false);
  CHECK(decode.bytes_per_token == 2 * 36 * 2);                 // layers x latent x bytes
  CHECK(decode.flops_per_token == 2 * 2 * 4 * (32 + 4 + 32));  // layers x 2 x heads x dims
  const perf::Chunk whole[] = {{10, 10}};
  Batch prompt;
  prompt.chunks = whole;
  // 55 causal pairs of 4 heads with 16 + 12 dims.
  CHECK(work.attention(prompt).flops.base() == 2 * 55 * 2 * 4 * (16 + 12));
  // A later piece projects the 10 cached latents up again: 32 x 4 (12 + 12) weights each.
  const perf::Chunk second[] = {{10, 20}};
  prompt.chunks = second;
  CHECK(work.attention(prompt).flops.base() ==
        2 * 155 * 2 * 4 * (16 + 12) + 2 * 2 * 10 * 32 * 4 * 24);
}

TEST_CASE("arithmetic decides a latent decode with many heads on one card") {
  auto plan = toy::serving_plan();
  auto& model = plan.question.model;
  model.latent = models::LatentAttention{0, 32, 12, 4, 12};
  plan.question.calibration.prefill.ec = 0.5;
  const perf::LayerWork work(plan.step_cost_inputs());
  // Per token and layer 72 bytes at 1 GB/s and 544 FLOP at half of 1 GFLOP/s.
  const auto decode = work.decode_attention(1, false);
  CHECK(decode.cause == Cause::compute);
  CHECK(decode.per_sum_token.in(unit::ns) == Approx(2 * 544 / 0.5));
}

TEST_CASE("a step of an encoder is one pass without head and sampler") {
  auto plan = toy::serving_plan();
  plan.question.model.encoder = true;
  plan.question.calibration.sampler.base = 1 * unit::s;
  const perf::LayerWork work(plan.step_cost_inputs());
  CHECK(work.sampled(4).time() == Seconds{});
  plan.question.model.pooler = true;
  const perf::LayerWork pooled(plan.step_cost_inputs());
  CHECK(pooled.sampled(4).flops.base() == 2 * 4 * 64 * 64);
}

TEST_CASE("a window of 128 leaves a prompt of 2,048 tokens 254,016 pairs of 2,098,176") {
  auto plan = toy::serving_plan();
  auto& model = plan.question.model;
  model.sliding_window = 128;
  model.sliding_layers = 2;
  const perf::LayerWork work(plan.step_cost_inputs());
  Batch prompt;
  const perf::Chunk whole[] = {{2048, 2048}};
  prompt.chunks = whole;
  // 128 x 129 / 2 for the first 128 tokens, 128 for each of the other 1,920; 2 layers x 2 x 4
  // heads x 32 dims a pair. The nearest whole chunk is half a percent off.
  CHECK(work.attention(prompt).flops.base() == Approx(254016.0 * 2 * 2 * 4 * 32).epsilon(0.005));
  // A window longer than the context changes nothing.
  model.sliding_window = 4096;
  const double full = perf::LayerWork(plan.step_cost_inputs()).attention(prompt).flops.base();
  CHECK(full == Approx(2048.0 * 2049 / 2 * 2 * 2 * 4 * 32).epsilon(1e-9));
}
