// Rows of decode steps in closed form against the steps one by one.
#include "gpucap/perf/decode_run.hpp"

#include "gpucap/core/random.hpp"

#include <algorithm>
#include <stdexcept>
#include <vector>

#include "support/catch.hpp"
#include "support/toy.hpp"

using namespace gpucap;
using perf::Batch;
using perf::Cause;
using perf::DecodeRun;
using perf::StepCost;
using perf::StepWork;

namespace {

/// Sequences with their contexts in the first step; each grows by one token a step.
struct Sequences {
  std::vector<std::int64_t> contexts;
  std::optional<std::int64_t> window;

  [[nodiscard]] Batch at(std::int64_t step) const {
    Batch batch;
    for (const std::int64_t first : contexts) {
      const std::int64_t context = first + step;
      ++batch.decodes;
      ++batch.sampled;
      batch.sum_context += context;
      batch.max_context = std::max(batch.max_context, context);
      if (!window) continue;
      batch.sum_window += std::min(context, *window);
      batch.max_window = std::max(batch.max_window, std::min(context, *window));
    }
    return batch;
  }
  [[nodiscard]] DecodeRun::Growth growth() const {
    DecodeRun::Growth growth;
    if (!window) return growth;
    for (const std::int64_t context : contexts) {
      if (context >= *window) continue;
      ++growth.window_sequences;
      growth.steps = std::min(growth.steps, *window - context);
    }
    growth.max_window = std::ranges::max(contexts) < *window;
    return growth;
  }
};

void add(StepWork& sum, const StepWork& step) {
  sum.time += step.time;
  sum.flops += step.flops;
  sum.bytes += step.bytes;
  sum.link_bytes += step.link_bytes;
  for (std::size_t c = 0; c < perf::cause_count; ++c) sum.by_cause[c] += step.by_cause[c];
}

bool same(const StepWork& a, const StepWork& b) {
  return a.time == b.time && a.flops == b.flops && a.bytes == b.bytes &&
         a.link_bytes == b.link_bytes && a.by_cause == b.by_cause;
}

/// max(GPU, floor) + gap, in the words of the documentation and in 128 bits throughout.
StepWork by_definition(const StepCost::Decode& cost, const Batch& batch) {
  using Wide = Ticks::Wide;
  const Wide sum = batch.sum_context, window = batch.sum_window;
  const Wide attention = cost.per_sum * sum + cost.per_max * Wide{batch.max_context} +
                         cost.per_sum_window * window +
                         cost.per_max_window * Wide{batch.max_window};
  Wide gpu = attention;
  for (const std::int64_t part : cost.fixed) gpu += part;
  constexpr auto host = static_cast<std::size_t>(Cause::host);
  StepWork step;
  if (gpu < cost.floor) {
    step.by_cause[host] = {cost.floor};
  } else {
    for (std::size_t c = 0; c < perf::cause_count; ++c) step.by_cause[c] = {cost.fixed[c]};
    step.by_cause[static_cast<std::size_t>(cost.attention)] += Ticks{attention};
  }
  step.by_cause[host] += Ticks{cost.gap};
  step.time = Ticks{std::max<Wide>(gpu, cost.floor) + cost.gap};
  step.flops = cost.flops + cost.flops_per_sum * sum + cost.flops_per_sum_window * window;
  step.bytes = cost.bytes + cost.bytes_per_sum * sum + cost.bytes_per_sum_window * window;
  step.link_bytes = cost.link_bytes;
  return step;
}

/// Cost of steps of a row together, priced by their sums.
StepWork of_row(const DecodeRun& run, const StepCost::Decode& cost, std::int64_t first,
                std::int64_t count) {
  perf::DecodeSums sums;
  run.add_to(sums, first, count);
  return run.host_bound() ? cost.host_bound(sums) : cost.gpu_bound(sums);
}

StepWork one_by_one(const StepCost& cost, const Sequences& who, std::int64_t first,
                    std::int64_t count) {
  StepWork sum;
  for (std::int64_t i = first; i < first + count; ++i) add(sum, cost(who.at(i)));
  return sum;
}

/// Host times below, above and near those of the toy card; windows and experts of cost per token.
plan::ServingPlan random_plan(RandomStream& draw) {
  auto plan = toy::serving_plan();
  auto& engine = plan.question.engine.profile;
  if (draw.uniform() < 0.7) engine.host.floor_per_layer = draw.uniform() * 800 * unit::us;
  if (draw.uniform() < 0.5) engine.host.per_sequence = draw.uniform() * 10 * unit::us;
  if (draw.uniform() < 0.5) engine.host.gap = draw.uniform() * 300 * unit::us;
  if (draw.uniform() < 0.5) engine.host.gap_per_sequence = draw.uniform() * 20 * unit::us;
  auto& fits = plan.question.calibration;
  if (draw.uniform() < 0.5) fits.decode.skew = draw.uniform();
  if (draw.uniform() < 0.5) fits.decode.per_64_kv = draw.uniform() * unit::us;
  if (draw.uniform() < 0.5) {
    plan.question.model.sliding_window = draw.uniform_int(8, 200);
    plan.question.model.sliding_layers = draw.uniform_int(1, 2);
  }
  return plan;
}

Sequences random_sequences(RandomStream& draw, const plan::ServingPlan& plan) {
  Sequences who;
  const std::int64_t longest = draw.uniform() < 0.5 ? 40 : 400;
  for (std::int64_t n = draw.uniform_int(1, 8); n > 0; --n) {
    who.contexts.push_back(draw.uniform_int(1, longest));
  }
  who.window = plan.question.model.sliding_window;
  return who;
}

void check_first_at(const DecodeRun& run, std::int64_t step) {
  const Ticks start = run.until(step);
  CHECK(run.first_at(start) == step);
  CHECK(run.first_at(start - Ticks{1}) == step);
  CHECK(run.first_at(start + Ticks{1}) == std::min(step + 1, run.steps()));
}

/// A decode cost by hand: a step of `fixed` ticks and `per_token` more for each token of context.
StepCost::Decode by_hand(std::int64_t fixed, std::int64_t per_token) {
  StepCost::Decode cost;
  cost.fixed[static_cast<std::size_t>(Cause::memory_bandwidth)] = fixed;
  cost.fixed_time = fixed;
  cost.per_sum = per_token;
  return cost;
}

Batch batch_of(std::int64_t sequences, std::int64_t context) {
  Batch batch;
  batch.decodes = batch.sampled = sequences;
  batch.sum_context = sequences * context;
  batch.max_context = context;
  return batch;
}

}  // namespace

TEST_CASE("steps of a row cost what the steps cost one by one, bit for bit") {
  RandomStream draw(1, "rows");
  int floors_crossed = 0, windows_filled = 0, host_bound = 0;
  for (int i = 0; i < 200; ++i) {
    INFO("case " << i);
    const auto plan = random_plan(draw);
    const StepCost cost(plan.step_cost_inputs());
    const Sequences who = random_sequences(draw, plan);
    const auto n = std::ssize(who.contexts);
    const StepCost::Decode& decode = cost.decode(n);
    const DecodeRun run(decode, who.at(0), who.growth());
    REQUIRE(run.steps() >= 1);
    REQUIRE(run.sequences() == n);
    const std::int64_t steps = std::min<std::int64_t>(run.steps(), 500);
    StepWork sum;
    for (std::int64_t step = 0; step < steps; ++step) {
      const StepWork single = cost(who.at(step));
      REQUIRE(run.duration(step) == single.time);
      REQUIRE(run.until(step) == sum.time);
      REQUIRE(same(single, by_definition(decode, who.at(step))));
      REQUIRE(same(of_row(run, decode, step, 1), single));
      add(sum, single);
    }
    REQUIRE(run.until(steps) == sum.time);
    REQUIRE(same(of_row(run, decode, 0, steps), sum));
    const std::int64_t first = draw.uniform_int(0, steps - 1);
    const std::int64_t count = draw.uniform_int(0, steps - first);
    CHECK(same(of_row(run, decode, first, count), one_by_one(cost, who, first, count)));
    host_bound += run.host_bound() ? 1 : 0;
    if (steps < run.steps()) continue;
    // A row is no shorter than it must be: the form does not hold for the step after it.
    CHECK_FALSE(same(of_row(run, decode, steps, 1), cost(who.at(steps))));
    const bool filled = who.window && who.growth().steps + 1 == steps;
    (filled ? windows_filled : floors_crossed) += 1;
  }
  CHECK(host_bound > 20);
  CHECK(floors_crossed > 5);
  CHECK(windows_filled > 10);
}

TEST_CASE("the first step at or after an instant, on each boundary and a tick beside it") {
  RandomStream draw(2, "boundaries");
  for (int i = 0; i < 100; ++i) {
    INFO("case " << i);
    const auto plan = random_plan(draw);
    const StepCost cost(plan.step_cost_inputs());
    const Sequences who = random_sequences(draw, plan);
    const DecodeRun run(cost.decode(std::ssize(who.contexts)), who.at(0), who.growth());
    const std::int64_t steps = std::min<std::int64_t>(run.steps(), 300);
    for (std::int64_t step = 1; step <= steps; ++step) check_first_at(run, step);
    if (run.steps() > steps) check_first_at(run, draw.uniform_int(steps, run.steps()));
    check_first_at(run, run.steps());
    CHECK(run.first_at(Ticks{0}) == 0);
    CHECK(run.first_at(Ticks{-1}) == 0);
    CHECK(run.first_at(Ticks{Ticks::Wide{1} << 100}) == run.steps());
  }
}

TEST_CASE("rows whose time comes near 61 bits are exact and do not overflow") {
  RandomStream draw(3, "long rows");
  for (int i = 0; i < 300; ++i) {
    INFO("case " << i);
    const std::int64_t fixed = std::int64_t{1} << draw.uniform_int(1, 60);
    const std::int64_t per_token =
        draw.uniform() < 0.3 ? 0 : std::int64_t{1} << draw.uniform_int(0, 40);
    const auto cost = by_hand(fixed + draw.uniform_int(0, fixed / 2), per_token);
    const std::int64_t context = draw.uniform_int(1, 1 << 17);
    const DecodeRun run(cost, batch_of(draw.uniform_int(1, 8), context), {});
    const std::int64_t n = run.sequences();
    REQUIRE(run.steps() >= 1);
    REQUIRE(run.steps() <= 1 << 16);
    const Ticks longest{Ticks::Wide{1} << 61};
    REQUIRE(run.until(run.steps()) <= longest);
    // Only what has one step, or the most, or would pass the limit with twice as many, is shorter.

    const auto duration = [&](std::int64_t step) {
      return Ticks{cost.fixed_time + Ticks::Wide{per_token} * n * (context + step)};
    };
    CHECK(run.duration(run.steps() - 1) == duration(run.steps() - 1));
    // Gauss: the first and the last step, the second and the last but one, ... are equal in sum.
    const Ticks twice = (duration(0) + duration(run.steps() - 1)) * run.steps();
    CHECK(run.until(run.steps()) * 2 == twice);
    // No shorter than half of what would fit.
    const Ticks twice_as_many = (duration(0) + duration(2 * run.steps() - 1)) * run.steps();
    CHECK((run.steps() == 1 << 16 || twice_as_many > longest));
    const std::int64_t a = draw.uniform_int(0, run.steps()), b = draw.uniform_int(0, run.steps());
    // Of steps known by the sums of their numbers and squares alone.
    CHECK(run.sum_until(a + b, a * a + b * b) == run.until(a) + run.until(b));
    check_first_at(run, run.steps());
    check_first_at(run, draw.uniform_int(1, run.steps()));
  }
}

TEST_CASE("a row in which nothing grows is cut after 2^16 steps, however short they are") {
  // 2 ticks each: the count is limited by sums of tokens, not by time.
  const auto cost = by_hand(2, 0);
  const DecodeRun run(cost, batch_of(3, 1000), {});
  CHECK(run.steps() == 1 << 16);
  CHECK(run.until(run.steps()) == Ticks{1 << 17});
  CHECK(run.first_at(Ticks{7}) == 4);
  CHECK(run.first_at(Ticks{8}) == 4);
}

TEST_CASE("steps that take no time begin all at once") {
  const auto cost = by_hand(0, 0);
  const DecodeRun run(cost, batch_of(1, 1), {});
  CHECK(run.first_at(Ticks{0}) == 0);
  CHECK(run.first_at(Ticks{1}) == run.steps());
}

TEST_CASE("the floor of the host holds up to the step that reaches it") {
  // GPU: 100 + 10 (1 + i) ticks, floor 145: below it for i = 0 .. 3 (140), above for i = 4 (150).
  auto cost = by_hand(100, 10);
  cost.floor = 145;
  cost.gap = 5;
  const DecodeRun below(cost, batch_of(1, 1), {});
  CHECK(below.steps() == 4);
  CHECK(below.duration(3) == Ticks{150});
  CHECK(of_row(below, cost, 0, 4).by_cause[static_cast<std::size_t>(Cause::host)] == Ticks{600});
  // Floor 150: equal in step 4, which is the GPU's already.
  cost.floor = 150;
  CHECK(DecodeRun(cost, batch_of(1, 1), {}).steps() == 4);
  const DecodeRun above(cost, batch_of(1, 5), {});
  CHECK(above.duration(0) == Ticks{155});
  CHECK(above.duration(1) == Ticks{165});
  CHECK(of_row(above, cost, 0, 1).by_cause[static_cast<std::size_t>(Cause::host)] == Ticks{5});
}

TEST_CASE("a step of many days is an error") {
  const auto cost = by_hand(std::int64_t{1} << 60, std::int64_t{1} << 60);
  CHECK_THROWS_AS(DecodeRun(cost, batch_of(4, 1), {}), std::out_of_range);
}
