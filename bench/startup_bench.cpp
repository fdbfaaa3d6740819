// What a run costs around its simulation: data files, planning, the planning of one draw.
#include "gpucap/scenario/library.hpp"
#include "gpucap/scenario/options.hpp"
#include "gpucap/scenario/read.hpp"
#include "gpucap/scenario/settings.hpp"
#include "gpucap/scenario/study.hpp"

#include <benchmark/benchmark.h>

namespace {

using namespace gpucap;

scenario::Scenario asked(scenario::Library& library) {
  const scenario::Options options = {{"model", "llama-3.1-70b"}, {"gpu", "a100-sxm-80gb"},
                                     {"tensor-parallel", "8"},   {"request-rate", "1"},
                                     {"prompt-tokens", "1000"},  {"output-tokens", "10"}};
  auto document = scenario::document_from("bench", "serving", scenario::settings_of(options));
  return scenario::read_scenario(document, "", library);
}

/// A library that has read nothing, options read, one candidate planned: what a process pays once.
void plan_cold(benchmark::State& state) {
  for (auto _ : state) {
    scenario::Library library(GPUCAP_SOURCE_DIR);
    benchmark::DoNotOptimize(plan_study(asked(library), library));
  }
}
BENCHMARK(plan_cold)->Unit(benchmark::kMicrosecond);

/// One more candidate, its files read already.
void plan_warm(benchmark::State& state) {
  scenario::Library library(GPUCAP_SOURCE_DIR);
  const auto question = asked(library);
  for (auto _ : state) benchmark::DoNotOptimize(plan_study(question, library));
}
BENCHMARK(plan_warm)->Unit(benchmark::kMicrosecond);

/// What a Monte Carlo draw costs beside its simulation.
void plan_draw(benchmark::State& state) {
  scenario::Library library(GPUCAP_SOURCE_DIR);
  const auto question = asked(library);
  perf::Draw draw{1, 0};
  for (auto _ : state) {
    ++draw.index;
    benchmark::DoNotOptimize(plan_study(question, library, &draw));
  }
}
BENCHMARK(plan_draw)->Unit(benchmark::kMicrosecond);

/// Every GPU sheet, as `gpucap gpus list` reads them.
void all_gpus(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(catalog::load_gpus(GPUCAP_SOURCE_DIR));
}
BENCHMARK(all_gpus)->Unit(benchmark::kMicrosecond);

/// The fitted numbers of one card: about twenty files.
void one_calibration(benchmark::State& state) {
  scenario::Library library(GPUCAP_SOURCE_DIR);
  const hardware::Gpu& gpu = *library.gpu("a100-sxm-80gb");
  for (auto _ : state) {
    benchmark::DoNotOptimize(catalog::load_calibration(GPUCAP_SOURCE_DIR, gpu));
  }
}
BENCHMARK(one_calibration)->Unit(benchmark::kMicrosecond);

}  // namespace
