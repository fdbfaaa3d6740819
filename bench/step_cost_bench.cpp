// What compiling and evaluating a step cost takes, for shipped models and cards.
#include "gpucap/scenario/library.hpp"
#include "gpucap/scenario/options.hpp"
#include "gpucap/scenario/read.hpp"
#include "gpucap/scenario/study.hpp"

#include <benchmark/benchmark.h>
#include <cstdint>
#include <string>
#include <vector>

using namespace gpucap;
using perf::Batch;
using perf::StepCost;

namespace {

plan::ServingPlan planned(const scenario::Options& options) {
  static scenario::Library library(GPUCAP_SOURCE_DIR);
  scenario::Options all = options;
  all.insert(all.end(), {{"requests", "1"}, {"prompt-tokens", "100"}, {"output-tokens", "100"}});
  auto document = scenario::document_from("bench", "serving", scenario::settings_of(all));
  const auto read = scenario::read_scenario(document, "", library);
  return scenario::plan_study(read, library).at(0).cases.at(0).plan;
}

/// Tensor parallel with measured all-reduces; one card; a latent model with routed experts.
const std::vector<plan::ServingPlan>& plans() {
  static const std::vector<plan::ServingPlan> all{
      planned({{"model", "llama-3.1-70b"}, {"gpu", "a100-sxm-80gb"}, {"tensor-parallel", "8"}}),
      planned({{"model", "llama-3.1-8b"}, {"gpu", "rtx-4090"}}),
      planned({{"model", GPUCAP_SOURCE_DIR "/scenarios/models/deepseek-v2-lite.json"},
               {"gpu", "a100-sxm-80gb"}})};
  return all;
}

const plan::ServingPlan& plan_of(const benchmark::State& state) {
  return plans().at(static_cast<std::size_t>(state.range(0)));
}

Batch decodes(std::int64_t n) {
  Batch batch;
  batch.decodes = batch.sampled = n;
  batch.sum_context = 1000 * n;
  batch.max_context = 1500;
  return batch;
}

void compile(benchmark::State& state) {
  const auto inputs = plan_of(state).step_cost_inputs();
  for (auto _ : state) {
    const StepCost cost(inputs);
    benchmark::DoNotOptimize(cost.decode(1).fixed_time);
  }
}

void compile_for_64_batch_sizes(benchmark::State& state) {
  const auto inputs = plan_of(state).step_cost_inputs();
  for (auto _ : state) {
    const StepCost cost(inputs);
    for (std::int64_t n = 1; n <= 64; ++n) benchmark::DoNotOptimize(cost.decode(n).fixed_time);
  }
}

void known_decode(benchmark::State& state) {
  const StepCost cost(plan_of(state).step_cost_inputs());
  for (auto _ : state) benchmark::DoNotOptimize(&cost.decode(32));
}

void decode_step(benchmark::State& state) {
  const StepCost cost(plan_of(state).step_cost_inputs());
  const Batch batch = decodes(32);
  for (auto _ : state) benchmark::DoNotOptimize(cost(batch));
}

void prompt_step(benchmark::State& state) {
  const StepCost cost(plan_of(state).step_cost_inputs());
  Batch batch = decodes(16);
  const perf::Chunk chunk{1200, 1500};
  batch.chunks = {&chunk, 1};
  batch.sampled = 17;
  for (auto _ : state) benchmark::DoNotOptimize(cost(batch));
}

/// Steps of a thousand different token counts on a fresh cost; time per step.
void new_prompt_steps(benchmark::State& state) {
  constexpr std::int64_t counts = 1000;
  const auto inputs = plan_of(state).step_cost_inputs();
  Batch batch = decodes(16);
  batch.sampled = 17;
  for (auto _ : state) {
    state.PauseTiming();
    const StepCost cost(inputs);
    state.ResumeTiming();
    for (std::int64_t i = 0; i < counts; ++i) {
      const perf::Chunk chunk{1000 + i, 1500 + i};
      batch.chunks = {&chunk, 1};
      benchmark::DoNotOptimize(cost(batch));
    }
  }
  state.counters["per_step"] = benchmark::Counter(
      counts, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

BENCHMARK(compile)->DenseRange(0, 2);
BENCHMARK(compile_for_64_batch_sizes)->DenseRange(0, 2);
BENCHMARK(known_decode)->DenseRange(0, 2);
BENCHMARK(decode_step)->DenseRange(0, 2);
BENCHMARK(prompt_step)->DenseRange(0, 2);
BENCHMARK(new_prompt_steps)->DenseRange(0, 2);

}  // namespace
