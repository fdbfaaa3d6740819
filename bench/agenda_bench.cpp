// How fast the agenda and the timers are, the agenda beside a bare std::priority_queue.
#include "gpucap/core/random.hpp"
#include "gpucap/engine/agenda.hpp"
#include "gpucap/engine/least_count.hpp"
#include "gpucap/engine/timers.hpp"

#include <benchmark/benchmark.h>
#include <cmath>
#include <deque>
#include <queue>
#include <string_view>
#include <vector>

namespace {

using namespace gpucap;
using engine::Phase;

struct Entry {
  std::int64_t time = 0;
  std::uint64_t sequence = 0;
  std::uint64_t event = 0;
};
struct Later {
  bool operator()(const Entry& a, const Entry& b) const {
    return a.time > b.time || (a.time == b.time && a.sequence > b.sequence);
  }
};

/// What anybody would write: the same order of (time, sequence) and the same event, no phase.
class Bare {
 public:
  void schedule(SimTime time, Phase, std::uint64_t event) {
    queue_.push({time.ns, sequence_++, event});
  }
  std::pair<SimTime, std::uint64_t> pop() {
    const Entry first = queue_.top();
    queue_.pop();
    return {{first.time}, first.event};
  }

 private:
  std::priority_queue<Entry, std::vector<Entry>, Later> queue_;
  std::uint64_t sequence_ = 0;
};

class Ours {
 public:
  void schedule(SimTime time, Phase phase, std::uint64_t event) {
    agenda_.schedule(time, phase, event);
  }
  std::pair<SimTime, std::uint64_t> pop() {
    const auto [key, event] = agenda_.pop();
    return {key.time, event};
  }

 private:
  engine::Agenda<std::uint64_t> agenda_;
};

/// Exponential times in ns of mean 1 ms or less, drawn before the clock runs: a draw costs as much
/// as an operation of a small queue.
std::vector<std::int32_t> drawn(std::size_t count, double mean, std::string_view name) {
  std::vector<std::int32_t> times(count);
  RandomStream stream(1, name);
  for (std::int32_t& time : times) time = std::int32_t(std::lround(stream.exponential(mean)));
  return times;
}

/// The same ones over and over.
class Gaps {
 public:
  std::int64_t next() { return times_[draw_++ % count]; }

 private:
  static constexpr std::size_t count = 1 << 16;
  std::vector<std::int32_t> times_ = drawn(count, 1e6, "gaps");
  std::size_t draw_ = 0;
};

/// Hold model: n events are pending; the first one is taken and schedules another one.
template <class Queue>
void hold(benchmark::State& state) {
  Queue queue;
  Gaps gaps;
  for (std::int64_t i = 0; i < state.range(0); ++i) {
    queue.schedule({gaps.next()}, Phase::decide, std::uint64_t(i));
  }
  for (auto _ : state) {
    const auto [time, event] = queue.pop();
    queue.schedule({time.ns + gaps.next()}, Phase::decide, event);
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(hold<Bare>)->Arg(100)->Arg(10'000)->Arg(1'000'000);
BENCHMARK(hold<Ours>)->Arg(100)->Arg(10'000)->Arg(1'000'000);

constexpr std::size_t customers = 10'000'000;
constexpr double load = 0.8;

/// One server, first come, first served. Returns the mean time in the queue over the mean service.
template <class Queue>
double mean_wait(const std::vector<std::int32_t>& gaps, const std::vector<std::int32_t>& services) {
  enum : std::uint64_t { arrival, departure };
  Queue queue;
  std::deque<std::int64_t> line;  // arrivals of those in the system, the one in service first
  std::int64_t waited = 0;
  std::size_t arrived = 0, served = 0;
  const auto serve = [&](SimTime now) {
    waited += now.ns - line.front();
    queue.schedule({now.ns + services[served++]}, Phase::release, departure);
  };
  queue.schedule({gaps[arrived++]}, Phase::arrive, arrival);
  while (served < customers) {
    const auto [now, event] = queue.pop();
    if (event == arrival) {
      line.push_back(now.ns);
      if (line.size() == 1) serve(now);
      if (arrived < customers) queue.schedule({now.ns + gaps[arrived++]}, Phase::arrive, arrival);
    } else {
      line.pop_front();
      if (!line.empty()) serve(now);
    }
  }
  return double(waited) / double(customers) / (load * 1e6);
}

/// M/M/1 with 10^7 customers: two events per customer, never more than two pending.
template <class Queue>
void mm1(benchmark::State& state) {
  static const auto gaps = drawn(customers, 1e6, "arrivals");
  static const auto services = drawn(customers, load * 1e6, "services");
  double wait = 0;
  for (auto _ : state) wait = mean_wait<Queue>(gaps, services);
  state.SetItemsProcessed(state.iterations() * std::int64_t(customers));
  state.counters["mean_wait"] = wait;
  state.counters["theory"] = load / (1 - load);  // in mean services
}
BENCHMARK(mm1<Bare>)->Iterations(1)->Unit(benchmark::kMillisecond);
BENCHMARK(mm1<Ours>)->Iterations(1)->Unit(benchmark::kMillisecond);

/// The first of n timers fires and is set anew.
void timers(benchmark::State& state) {
  const auto owners = std::size_t(state.range(0));
  engine::Timers timers(owners);
  Gaps gaps;
  for (std::size_t i = 0; i < owners; ++i) timers.set(i, {gaps.next()}, Phase::release);
  for (auto _ : state) {
    const auto due = timers.next();
    timers.set(due.owner, {due.time.ns + gaps.next()}, due.phase);
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(timers)->Arg(4)->Arg(1000);

/// The least loaded of n gets one more, another one has finished one.
void least_count(benchmark::State& state) {
  const auto owners = std::size_t(state.range(0));
  engine::LeastCount counts(owners);
  for (std::size_t i = 0; i < owners; ++i) counts.set(i, 100);
  Gaps gaps;
  for (auto _ : state) {
    counts.add(counts.least(), 1);
    counts.add(std::size_t(gaps.next()) % owners, -1);
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(least_count)->Arg(4)->Arg(1000);

}  // namespace
