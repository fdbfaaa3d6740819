// How fast the agenda of events is, beside a bare std::priority_queue in the same program.
#include "gpucap/core/random.hpp"
#include "gpucap/engine/agenda.hpp"

#include <benchmark/benchmark.h>

namespace {

using namespace gpucap;

/// Hold model: n events are pending; the first one is taken and another one scheduled.
void hold_agenda(benchmark::State& state) {
  engine::Agenda<std::uint64_t> agenda;
  RandomStream stream(1, "hold");
  for (std::int64_t i = 0; i < state.range(0); ++i) {
    agenda.schedule({stream.uniform_int(0, 1'000'000)}, engine::Phase::decide, 0);
  }
  for (auto _ : state) {
    const auto [key, event] = agenda.pop();
    agenda.schedule({key.time.ns + stream.uniform_int(0, 1'000'000)}, key.phase, event);
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(hold_agenda)->Arg(100)->Arg(10'000)->Arg(1'000'000);

}  // namespace
