#include "gpucap/perf/draw.hpp"

#include "gpucap/perf/layer_work.hpp"
#include "gpucap/perf/step_cost.hpp"

#include <cmath>
#include <set>

#include "support/catch.hpp"
#include "support/toy.hpp"

using namespace gpucap;
using perf::Draw;

namespace {

perf::Calibration spread_calibration() {
  perf::Calibration c = toy::calibration();
  c.gemm_origin.file = "gemm.json";
  c.gemm_origin.card = "toy-card";
  c.gemm_origin.quality = perf::FitQuality{};
  c.gemm_origin.quality->spread = 0.1;
  return c;
}

perf::EngineProfile engine_with_gap_interval() {
  perf::EngineProfile engine;
  engine.id = "toy-engine";
  engine.host.gap = 1 * unit::ms;
  engine.intervals["host.gap"] = {0.9e-3, 1.4e-3};
  return engine;
}

}  // namespace

TEST_CASE("a name has one number per draw, and another in the next draw") {
  const Draw first{7, 0}, second{7, 1};
  CHECK(first.normal("a") == first.normal("a"));
  CHECK(first.normal("a") != first.normal("b"));
  CHECK(first.normal("a") != second.normal("a"));
  CHECK(first.workload_seed() != second.workload_seed());
}

TEST_CASE("normal numbers of many draws have mean 0 and deviation 1, none beyond 3") {
  double sum = 0, squares = 0;
  constexpr int n = 4000;  // deviation of the mean 1/63, of the variance about 1/45
  for (int i = 0; i < n; ++i) {
    const double z = Draw{1, i}.normal("x");
    CHECK(std::fabs(z) <= 3);
    sum += z;
    squares += z * z;
  }
  CHECK(std::fabs(sum / n) < 0.06);
  CHECK(squares / n == Approx(0.987).epsilon(0.08));  // the cut takes 1.3 % of the variance
}

TEST_CASE("candidates that rest on the same fit share its factor, a transfer has its own on top") {
  perf::Calibration own = spread_calibration();
  perf::Calibration transferred = own;
  transferred.gemm_origin.transfer_spread = 0.2;
  const Draw draw{3, 5};
  const double shared = draw.normal("fit gemm.json matrix products");
  const double extra = draw.normal("transfer other-card matrix products");
  CHECK(perf::drawn(own, "toy-card", draw).gemm_origin.factor == Approx(std::exp(0.1 * shared)));
  CHECK(perf::drawn(transferred, "other-card", draw).gemm_origin.factor ==
        Approx(std::exp(0.1 * shared + 0.2 * extra)));
  CHECK(perf::systematic_spread(transferred.gemm_origin) == Approx(std::hypot(0.1, 0.2)));
}

TEST_CASE("the difference between laboratories moves all parts of a card together") {
  perf::Calibration c = spread_calibration();
  c.gemm_origin.quality.reset();
  c.between_labs = 0.08;
  const perf::Calibration drawn = perf::drawn(c, "toy-card", {3, 1});
  CHECK(drawn.gemm_origin.factor != 1);
  CHECK(drawn.decode_origin.factor == drawn.gemm_origin.factor);
  CHECK(drawn.prefill_origin.factor == drawn.gemm_origin.factor);
  CHECK(drawn.power.origin.factor == 1);  // watts are measured elsewhere
}

TEST_CASE("coefficients are drawn by their standard errors and their correlation") {
  perf::Calibration c = toy::calibration();
  c.gemm.ec = 0.5;
  c.gemm.eb = 0.6;
  c.gemm_origin.file = "gemm.json";
  c.gemm_origin.quality = perf::FitQuality{};
  c.gemm_origin.quality->parameters = {"ec", "eb", "t0_us"};
  c.gemm_origin.quality->standard_errors = {{"ec", 0.01}, {"eb", 0.02}, {"t0_us", 0.0}};
  c.gemm_origin.quality->correlation = {0.5, 0, 0};
  double ec = 0, eb = 0, both = 0;
  constexpr int n = 4000;  // deviation of a variance 1/45, of the correlation 0.012
  for (int i = 0; i < n; ++i) {
    const perf::GemmFit drawn = perf::drawn(c, "toy-card", {1, i}).gemm;
    ec += (drawn.ec - 0.5) * (drawn.ec - 0.5) / n;
    eb += (drawn.eb - 0.6) * (drawn.eb - 0.6) / n;
    both += (drawn.ec - 0.5) * (drawn.eb - 0.6) / n;
    CHECK(drawn.t0 == c.gemm.t0);  // no stated error: not moved
  }
  CHECK(std::sqrt(ec) == Approx(0.01).epsilon(0.05));
  CHECK(std::sqrt(eb) == Approx(0.02).epsilon(0.05));
  CHECK(both / std::sqrt(ec * eb) == Approx(0.5).margin(0.05));
}

TEST_CASE("a drawn coefficient stays in its range") {
  perf::Calibration c = toy::calibration();
  c.gemm.ec = 1.0;
  c.gemm_origin.quality = perf::FitQuality{};
  c.gemm_origin.quality->parameters = {"ec"};
  c.gemm_origin.quality->standard_errors = {{"ec", 0.5}};
  for (int i = 0; i < 200; ++i) {
    const double ec = perf::drawn(c, "toy-card", {1, i}).gemm.ec;
    CHECK(ec >= 0.02);
    CHECK(ec <= 1.02);  // a nominal peak and the measuring tolerance
  }
}

TEST_CASE("an interval of 25 % is the middle 80 % of the factor of a derived link") {
  perf::CollectiveFit link;
  link.host = "toy-host";
  link.interval = 0.25;
  int inside = 0;
  constexpr int n = 2000;  // deviation of the share 0.009
  for (int i = 0; i < n; ++i) {
    inside += std::fabs(std::log(perf::drawn(link, {1, i}).origin.factor)) <= 0.25 ? 1 : 0;
  }
  CHECK(static_cast<double>(inside) / n == Approx(0.8).margin(0.03));
}

TEST_CASE("a host gap is drawn from its two-sided interval, a figure without one stays") {
  const perf::EngineProfile engine = engine_with_gap_interval();
  int low = 0, high = 0;
  constexpr int n = 2000;  // one tenth beyond either end, deviation of the share 0.007
  for (int i = 0; i < n; ++i) {
    const perf::EngineProfile drawn = perf::drawn(engine, {1, i});
    low += drawn.host.gap < 0.9 * unit::ms ? 1 : 0;
    high += drawn.host.gap > 1.4 * unit::ms ? 1 : 0;
    CHECK(drawn.host.front_end == engine.host.front_end);
  }
  CHECK(static_cast<double>(low) / n == Approx(0.1).margin(0.03));
  CHECK(static_cast<double>(high) / n == Approx(0.1).margin(0.03));
}

TEST_CASE("a factor multiplies the time of a step and leaves its work") {
  const auto plan = toy::serving_plan();
  auto inputs = plan.step_cost_inputs();
  perf::Calibration slow = toy::calibration();
  for (auto* origin : {&slow.gemm_origin, &slow.prefill_origin, &slow.decode_origin,
                       &slow.elementwise_origin, &slow.sampler_origin}) {
    origin->factor = 2;
  }
  const perf::StepCost plain(inputs);
  inputs.calibration = &slow;
  const perf::StepCost doubled(inputs);
  const std::vector<perf::Chunk> chunks = {{16, 48}};
  for (const perf::Batch& batch :
       {perf::Batch{{}, 3, 90, 40, 0, 0, 3}, perf::Batch{chunks, 2, 50, 30, 0, 0, 3}}) {
    const auto one = plain(batch), two = doubled(batch);
    const auto ticks = [](const perf::StepWork& step) {
      return static_cast<double>(step.time.count);
    };
    CHECK(ticks(two) / ticks(one) == Approx(2).epsilon(1e-6));
    CHECK(two.flops == one.flops);
    CHECK(two.bytes == one.bytes);
  }
}
