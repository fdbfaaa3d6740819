// The protocol on a device that does what the test says.
#include "gpucap/measure/protocol.hpp"

#include <cmath>
#include <functional>

#include "support/catch.hpp"

using namespace gpucap;
using namespace gpucap::measure;

namespace {

/// Work of a stated time per execution; `batch` counts the calls of run.
class Scripted : public Task {
 public:
  explicit Scripted(std::function<Seconds(int batch)> time) : time_(std::move(time)) {}
  Seconds run(Cache, int repeats) override {
    repeats_ = repeats;
    return time_(calls_++);
  }
  double error() override { return deviation; }
  [[nodiscard]] double tolerance() const override { return 1e-3; }

  double deviation = 0;
  [[nodiscard]] int calls() const { return calls_; }
  [[nodiscard]] int repeats() const { return repeats_; }

 private:
  std::function<Seconds(int batch)> time_;
  int calls_ = 0, repeats_ = 0;
};

class Scene : public Device {
 public:
  [[nodiscard]] DeviceFacts facts() const override { return {}; }
  DeviceState state() override {
    DeviceState state;
    if (throttled && throttled(asked_++)) state.throttled = "power cap";
    state.power = 100 * unit::W;
    return state;
  }
  [[nodiscard]] std::vector<std::string> implementations(const Work& work) const override {
    if (std::holds_alternative<AllReduce>(work)) return {};
    return {"first", "second"};
  }
  std::unique_ptr<Task> prepare(const Work&, const std::string& way, std::uint64_t) override {
    if (way == "second" && !second) throw Unavailable("there is no second way");
    if (way == "second" && broken) throw std::runtime_error("launch failed");
    auto task = std::make_unique<Scripted>([](int) { return 1 * unit::ms; });
    task->deviation = deviation;
    return task;
  }

  std::function<bool(int)> throttled;
  bool second = true, broken = false;
  double deviation = 0;

 private:
  int asked_ = 0;
};

Protocol quick() {
  Protocol protocol;
  protocol.batch = 10 * unit::ms;
  protocol.each = protocol.all = 100 * unit::s;
  return protocol;
}

const std::atomic<bool> never = false;

Samples measured(Scene& scene, const std::vector<Planned>& plan, const Protocol& protocol,
                 const std::atomic<bool>& stop = never) {
  return measure_plan(scene, plan, protocol, stop, [](std::size_t, std::size_t) {});
}

}  // namespace

TEST_CASE("a batch repeats short work until it lasts long enough") {
  // 1 ms each: more than ten for 10 ms, and no more than the guess of 1.2 times as many and one.
  Scene scene;
  Scripted task([](int) { return 1 * unit::ms; });
  measure_task(scene, task, Cache::cold, quick());
  CHECK(task.repeats() >= 10);
  CHECK(task.repeats() <= 14);
}

TEST_CASE("steady work is measured five times, restless work to the limit") {
  Scene scene;
  Scripted steady([](int) { return 20 * unit::ms; });
  CHECK(measure_task(scene, steady, Cache::cold, quick()).batches == 5);
  Scripted restless([](int batch) { return (batch % 2 == 0 ? 20 : 40) * unit::ms; });
  CHECK(measure_task(scene, restless, Cache::cold, quick()).batches == 60);
}

TEST_CASE("the sample is the median with the fastest and slowest beside it") {
  // After the first use and one trial: 21, 35, 20, 22, 90 ms, and so on.
  Scene scene;
  Scripted task([](int batch) {
    constexpr double times[] = {21, 35, 20, 22, 90};
    return times[(batch + 3) % 5] * unit::ms;
  });
  Protocol protocol = quick();
  protocol.most_batches = 5;
  const Sample sample = measure_task(scene, task, Cache::cold, protocol);
  CHECK(sample.time.in(unit::ms) == Approx(22));
  CHECK(sample.fastest.in(unit::ms) == Approx(20));
  CHECK(sample.slowest.in(unit::ms) == Approx(90));
  CHECK(sample.power->in(unit::W) == Approx(100));
}

TEST_CASE("batches of a throttled device are counted and do not count") {
  Scene scene;
  scene.throttled = [](int asked) { return asked % 2 == 0; };
  // Every second batch is throttled and takes ten times as long.
  Scripted task([](int batch) { return (batch % 2 == 1 ? 20 : 200) * unit::ms; });
  const Sample sample = measure_task(scene, task, Cache::cold, quick());
  CHECK(sample.slowest == sample.fastest);
  CHECK(sample.batches == 5);
  CHECK(sample.discarded >= 4);
}

TEST_CASE("where every batch was throttled they count and the sample says so") {
  Scene scene;
  scene.throttled = [](int) { return true; };
  Scripted task([](int) { return 20 * unit::ms; });
  const Sample sample = measure_task(scene, task, Cache::cold, quick());
  CHECK(sample.batches > 0);
  CHECK(sample.discarded == sample.batches);
}

TEST_CASE("each way of doing the work gives a sample, and a way that is not there a reason") {
  Scene scene;
  scene.second = false;
  const auto samples = measured(scene, {{Stream{}}, {AllReduce{}}}, quick());
  REQUIRE(samples.samples.size() == 1);
  CHECK(samples.samples[0].implementation == "first");
  REQUIRE(samples.skipped.size() == 1);
  CHECK(samples.skipped[0].reason == "there is no second way");
  CHECK(samples.complete);
}

TEST_CASE("a wrong result is skipped, and so is one that is no number") {
  Scene scene;
  for (const double deviation : {0.01, std::nan("")}) {
    scene.deviation = deviation;
    const auto samples = measured(scene, {{Stream{}}}, quick());
    CHECK(samples.samples.empty());
    CHECK(samples.skipped.size() == 2);
  }
}

TEST_CASE("a device that fails ends the run with what it gave before") {
  Scene scene;
  scene.broken = true;
  const auto samples = measured(scene, {{Stream{}}, {Stream{}}}, quick());
  CHECK(samples.samples.size() == 1);
  CHECK(samples.ended_by == "fault of the device: launch failed");
}

TEST_CASE("an interrupt and the time limit leave what was measured") {
  Scene scene;
  const std::atomic<bool> stopped = true;
  CHECK(measured(scene, {{Stream{}}}, quick(), stopped).ended_by == "interrupt");
  Protocol none = quick();
  none.all = Seconds{};
  const auto samples = measured(scene, {{Stream{}}}, none);
  CHECK_FALSE(samples.complete);
  CHECK(samples.ended_by == "time limit");
}
