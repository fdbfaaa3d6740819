// What the sinks of a run cost per request and per run of token gaps, exact and as a sketch. The
// rows are made beforehand; reading them is part of what is timed, as it is in a simulation.
#include "gpucap/core/random.hpp"
#include "gpucap/metrics/latency.hpp"
#include "gpucap/metrics/overload.hpp"
#include "gpucap/metrics/slo_attainment.hpp"

#include <benchmark/benchmark.h>
#include <cstdint>
#include <vector>

namespace {

using namespace gpucap;
using namespace gpucap::metrics;

constexpr std::int64_t exact_limit = DurationSample::exact_limit;
constexpr std::size_t prepared = std::size_t{1} << 14;

/// A request each 10 ms that waits up to 2 s and decodes 2 to 400 tokens at 20 to 60 ms.
std::vector<record::RequestRow> rows() {
  RandomStream random(1, "rows");
  std::vector<record::RequestRow> rows(prepared);
  SimTime now;
  for (auto& row : rows) {
    row.arrival = now = {now.ns + 10'000'000};
    row.scheduled = {now.ns + random.uniform_int(0, 2'000'000'000)};
    row.first_token = {row.scheduled.ns + random.uniform_int(50'000'000, 900'000'000)};
    row.output_tokens = random.uniform_int(2, 400);
    const std::int64_t gap = random.uniform_int(20'000'000, 60'000'000);
    row.finished = {row.first_token.ns + (row.output_tokens - 1) * gap};
  }
  return rows;
}

/// Runs of up to 40 steps of 15 to 50 ms that grow by up to 1 us per step, 1 to 64 sequences.
std::vector<record::TokenGaps> runs() {
  RandomStream random(2, "runs");
  std::vector<record::TokenGaps> runs;
  for (std::size_t i = 0; i < prepared; ++i) {
    const Ticks::Wide first = random.uniform_int(15'000'000, 50'000'000);
    const Ticks::Wide growth = random.uniform_int(0, 1000);
    runs.push_back({{first << Ticks::fraction_bits},
                    random.uniform_int(1, 64),
                    random.uniform_int(1, 40),
                    {growth << Ticks::fraction_bits}});
  }
  return runs;
}

/// Every sink of a run with an SLO: one arrival and one finish.
void request(benchmark::State& state, std::int64_t before) {
  const auto told = rows();
  const Slo slo = parse_slo("ttft_p95<2s,tpot_p95<50ms");
  LatencyMetrics latency;
  OverloadDetector overload(LoopKind::open);
  SloAttainment attainment(slo);
  const std::vector<record::Sink*> sinks{&latency, &overload, &attainment};
  std::int64_t id = 0;
  const auto tell = [&] {
    const record::RequestRow& row = told[static_cast<std::size_t>(id) % prepared];
    for (record::Sink* sink : sinks) sink->arrived(id, row.arrival, 3);
    for (record::Sink* sink : sinks) sink->finished(row);
    ++id;
  };
  while (id < before) tell();
  for (auto _ : state) tell();
  benchmark::DoNotOptimize(latency.counts());
}

void gaps(benchmark::State& state, std::int64_t before, bool step_by_step) {
  const auto told = runs();
  LatencyMetrics latency;
  if (before > 0) latency.token_gaps({told[0].first, before});
  std::size_t i = 0;
  for (auto _ : state) {
    const record::TokenGaps& run = told[i++ % prepared];
    if (!step_by_step) {
      latency.token_gaps(run);
      continue;
    }
    Ticks gap = run.first;
    for (std::int64_t k = 0; k < run.steps; ++k, gap += run.growth) {
      latency.token_gaps({gap, run.count});
    }
  }
}

/// The five summaries over as many requests.
void summaries(benchmark::State& state) {
  const auto told = rows();
  LatencyMetrics latency;
  for (std::int64_t i = 0; i < state.range(0); ++i) {
    latency.finished(told[static_cast<std::size_t>(i) % prepared]);
    latency.token_gaps({to_ticks(told[static_cast<std::size_t>(i) % prepared].arrival)});
  }
  for (auto _ : state) benchmark::DoNotOptimize(latency.summaries());
}

BENCHMARK_CAPTURE(request, exact, 0)->Iterations(exact_limit);
BENCHMARK_CAPTURE(request, sketch, exact_limit + 1);
BENCHMARK_CAPTURE(gaps, exact, 0, false)->Iterations(180);  // about 120,000 tokens
BENCHMARK_CAPTURE(gaps, sketch, exact_limit + 1, false);
BENCHMARK_CAPTURE(gaps, sketch_step_by_step, exact_limit + 1, true);
BENCHMARK(summaries)->Arg(1000)->Arg(exact_limit)->Arg(exact_limit + 1);

}  // namespace
