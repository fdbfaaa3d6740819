#include "gpucap/measure/protocol.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

#include <fmt/format.h>

namespace gpucap::measure {
namespace {

class StopWatch {
 public:
  [[nodiscard]] Seconds elapsed() const {
    const std::chrono::duration<double> since = std::chrono::steady_clock::now() - begin_;
    return since.count() * unit::s;
  }

 private:
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

/// Times of batches of one piece of work.
struct Batches {
  std::vector<Seconds> times;  ///< that count
  std::vector<Seconds> discarded;
  Watts power;  ///< sum over all of them
  int powered = 0;
};

double relative_error(const std::vector<Seconds>& times) {
  const auto n = static_cast<double>(times.size());
  Seconds sum;
  for (const Seconds time : times) sum += time;
  const Seconds mean = sum / n;
  double squares = 0;
  for (const Seconds time : times) squares += std::pow(time / mean - 1, 2);
  return std::sqrt(squares / (n - 1) / n);
}

bool settled(const std::vector<Seconds>& times, const Protocol& protocol) {
  const auto least = static_cast<std::size_t>(std::max(protocol.least_batches, 2));
  return times.size() >= least && relative_error(times) < protocol.spread;
}

/// Executions that fill a batch, by one batch of each size that is tried.
int repeats_of(Task& task, Cache cache, const Protocol& protocol) {
  constexpr int most = 1 << 20;
  task.run(cache, 1);  // the first one pays for what is loaded and placed on first use
  int repeats = 1;
  for (;;) {
    const Seconds whole = task.run(cache, repeats) * repeats;
    if (whole >= protocol.batch || repeats >= most) return repeats;
    const double wanted = whole > Seconds{} ? 1.2 * (protocol.batch / whole) : 2;
    repeats = std::min(most, static_cast<int>(repeats * std::clamp(wanted, 1.5, 100.0)) + 1);
  }
}

Batches run_batches(Device& device, Task& task, Cache cache, const Protocol& protocol) {
  const StopWatch watch;
  const int repeats = repeats_of(task, cache, protocol);
  Batches batches;
  device.state();  // what came before is not about these batches
  for (int i = 0; i < protocol.most_batches; ++i) {
    if (settled(batches.times, protocol)) break;
    const bool any = !batches.times.empty() || !batches.discarded.empty();
    if (any && watch.elapsed() > protocol.each) break;
    const Seconds time = task.run(cache, repeats);
    const DeviceState now = device.state();
    (now.throttled.empty() ? batches.times : batches.discarded).push_back(time);
    if (!now.power) continue;
    batches.power += *now.power;
    ++batches.powered;
  }
  return batches;
}

/// Measures a plan while there is time.
class PlanRun {
 public:
  PlanRun(Device& device, const Protocol& protocol, const std::atomic<bool>& stop)
      : device_(device), protocol_(protocol), stop_(stop) {}

  void measure(const Planned& planned) {
    for (const std::string& way : device_.implementations(planned.work)) {
      if (over()) return;
      try {
        measure(planned, way);
      } catch (const Unavailable& fault) {
        out.skipped.push_back({planned.work, way, fault.what()});
      } catch (const std::exception& fault) {
        fault_ = fmt::format("fault of the device: {}", fault.what());
      }
    }
  }

  /// Whether time is up or somebody wants it to end; says so in the samples.
  bool over() {
    if (watch_.elapsed() > protocol_.all) out.ended_by = "time limit";
    if (stop_) out.ended_by = "interrupt";
    if (!fault_.empty()) out.ended_by = fault_;
    out.complete = out.ended_by.empty();
    return !out.complete;
  }

  Samples& finish() {
    out.elapsed = watch_.elapsed();
    return out;
  }

  Samples out;

 private:
  void measure(const Planned& planned, const std::string& way) {
    const auto task = device_.prepare(planned.work, way, protocol_.seed);
    const double error = task->error();
    if (!(error <= task->tolerance())) {
      out.skipped.push_back({planned.work, way,
                             fmt::format("its result is {:.2g} off the reference, more than {:.2g}",
                                         error, task->tolerance())});
      return;
    }
    Sample sample = measure_task(device_, *task, planned.cache, protocol_);
    sample.work = planned.work;
    sample.implementation = way;
    sample.error = error;
    out.samples.push_back(std::move(sample));
  }

  Device& device_;
  const Protocol& protocol_;
  const std::atomic<bool>& stop_;
  StopWatch watch_;
  std::string fault_;  ///< after which the device does nothing any more
};

}  // namespace

Sample measure_task(Device& device, Task& task, Cache cache, const Protocol& protocol) {
  Batches batches = run_batches(device, task, cache, protocol);
  Sample sample;
  sample.cache = cache;
  sample.discarded = static_cast<int>(batches.discarded.size());
  auto& times = batches.times.empty() ? batches.discarded : batches.times;
  std::sort(times.begin(), times.end());
  sample.batches = static_cast<int>(times.size());
  sample.time = times[times.size() / 2];
  sample.fastest = times.front();
  sample.slowest = times.back();
  if (batches.powered > 0) sample.power = batches.power / batches.powered;
  return sample;
}

Samples measure_plan(Device& device, const std::vector<Planned>& plan, const Protocol& protocol,
                     const std::atomic<bool>& stop, const OnProgress& on_progress) {
  PlanRun run(device, protocol, stop);
  run.out.device = device.facts();
  run.out.before = device.state();
  for (std::size_t i = 0; i < plan.size() && !run.over(); ++i) {
    run.measure(plan[i]);
    on_progress(i + 1, plan.size());
  }
  run.out.after = device.state();
  return std::move(run.finish());
}

}  // namespace gpucap::measure
