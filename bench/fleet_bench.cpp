// How fast a fleet serves requests that are in memory already: the engine alone, told to nobody,
// and with the collectors of a report. Without a trace the shipped one is repeated; another one is
// given as GPUCAP_BENCH_TRACE=FILE (Azure CSV).
#include "gpucap/catalog/data_dir.hpp"
#include "gpucap/metrics/latency.hpp"
#include "gpucap/metrics/overload.hpp"
#include "gpucap/scenario/library.hpp"
#include "gpucap/scenario/options.hpp"
#include "gpucap/scenario/read.hpp"
#include "gpucap/scenario/settings.hpp"
#include "gpucap/scenario/study.hpp"
#include "gpucap/serving/fleet.hpp"
#include "gpucap/workload/trace.hpp"

#include <benchmark/benchmark.h>
#include <cstdlib>
#include <string>
#include <vector>

namespace {

using namespace gpucap;

evaluate::ServingCase planned(int replicas, const std::string& router) {
  const scenario::Options options{{"model", "llama-3.1-70b"}, {"gpu", "a100-sxm-80gb"},
                                  {"tensor-parallel", "8"},   {"count", "8"},
                                  {"router", router},         {"prompt-tokens", "1"},
                                  {"output-tokens", "1"},     {"all-at-once", ""}};
  scenario::Library library(catalog::data_directory());
  auto document = scenario::document_from("bench", "serving", scenario::settings_of(options));
  const auto read = scenario::read_scenario(document, "", library);
  evaluate::ServingCase one = scenario::plan_study(read, library).front().cases.front();
  one.plan.replicas = replicas;  // more than a scenario may ask for
  return one;
}

const std::vector<workload::Request>& recorded() {
  static const std::vector<workload::Request> requests = [] {
    const char* given = std::getenv("GPUCAP_BENCH_TRACE");
    const std::string shipped =
        std::string(GPUCAP_SOURCE_DIR) + "/scenarios/traces/azure-conv-like.csv";
    workload::TraceOptions options;
    options.format = given ? workload::TraceFormat::azure : workload::TraceFormat::gpucap;
    const auto stream = workload::open_trace(given ? given : shipped, options);
    std::vector<workload::Request> found;
    while (auto request = stream->next()) found.push_back(std::move(*request));
    return found;
  }();
  return requests;
}

/// The recorded requests over and over, `speed` times as fast.
class Repeated final : public workload::RequestStream {
 public:
  Repeated(std::int64_t count, std::int64_t speed) : count_(count), speed_(speed) {}
  std::optional<workload::Request> next() override {
    if (id_ == count_) return std::nullopt;
    const auto& all = recorded();
    if (at_ == all.size()) {
      at_ = 0;
      shift_ += all.back().arrival.ns;
    }
    const workload::Request& one = all[at_++];
    return workload::Request{
        id_++, {(one.arrival.ns + shift_) / speed_}, one.prompt_tokens, one.output_tokens, {}};
  }

 private:
  std::int64_t count_, speed_, id_ = 0, shift_ = 0;
  std::size_t at_ = 0;
};

/// Four replicas at the recorded rate; more replicas get proportionally more.
void serve(benchmark::State& state, const std::string& router,
           const std::vector<record::Sink*>& sinks) {
  const std::int64_t count = state.range(0);
  const auto replicas = static_cast<int>(state.range(1));
  const evaluate::ServingCase one = planned(replicas, router);
  recorded();
  for (auto _ : state) {
    workload::Load load{std::make_unique<Repeated>(count, std::max(1, replicas / 4)), {}};
    const auto record =
        serving::simulate(one.plan, std::move(load), one.router, sinks, serving::Stepping::jumps);
    benchmark::DoNotOptimize(record.finished);
  }
  state.SetItemsProcessed(state.iterations() * count);
}

void engine_alone(benchmark::State& state) {
  serve(state, "round-robin", {});
}
void engine_least_loaded(benchmark::State& state) {
  serve(state, "least-loaded", {});
}
void with_collectors(benchmark::State& state) {
  metrics::LatencyMetrics latency;
  metrics::OverloadDetector overload(metrics::LoopKind::open);
  serve(state, "round-robin", {&latency, &overload});
}

BENCHMARK(engine_alone)
    ->Args({19'366, 4})
    ->Args({200'000, 4})
    ->Args({2'000'000, 4})
    ->Unit(benchmark::kMillisecond);
BENCHMARK(engine_least_loaded)
    ->Args({500'000, 4})
    ->Args({500'000, 64})
    ->Args({500'000, 1000})
    ->Unit(benchmark::kMillisecond);
BENCHMARK(with_collectors)->Args({200'000, 4})->Args({2'000'000, 4})->Unit(benchmark::kMillisecond);

}  // namespace
