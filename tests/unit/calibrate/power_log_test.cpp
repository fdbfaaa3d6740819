#include "gpucap/calibrate/power_log.hpp"

#include <string>

#include "support/catch.hpp"
#include "written_file.hpp"
#include <fmt/format.h>

namespace {

using namespace gpucap;
using namespace gpucap::calibrate;
using gpucap::test::WrittenFile;

hardware::Gpu card() {
  hardware::Gpu gpu;
  gpu.id = "toy";
  gpu.name = "NVIDIA Toy 100";
  gpu.tdp = 400 * unit::W;
  return gpu;
}

perf::Calibration::Power shares() {
  perf::Calibration::Power power;
  power.active_floor = 0.3;
  power.compute = 0.8;
  power.memory = 0.4;
  power.origin.source = "a toy";
  return power;
}

/// So many seconds at these watts, a line each, after those that are there.
std::string lines(int first, int count, double watts) {
  std::string text;
  for (int i = first; i < first + count; ++i) {
    text += fmt::format("2025/12/31 23:{:02}:{:02}.500, {:.1f} W\n", i / 60, i % 60, watts);
  }
  return text;
}

const std::string header = "timestamp, power.draw [W]\n";

PowerLog read(const std::string& text) {
  const WrittenFile file(text, "power.csv");
  return read_power_log(file.path(), std::nullopt);
}

}  // namespace

TEST_CASE("The mean of the steady part less what the load adds is the active floor") {
  // 300 of 400 W are 0.75; 0.8 x 0.25 + 0.4 x 0.5 = 0.4 are the load's.
  const auto fit =
      fit_power(read(header + lines(0, 60, 50) + lines(60, 100, 300) + lines(160, 20, 55)), card(),
                {0.25, 0.5}, shares());
  CHECK(fit.after.active_floor == Approx(0.35));
  CHECK(fit.after.compute == 0.8);
  CHECK(fit.active.in(unit::W) == Approx(300));
  CHECK(fit.samples == 80);  // without the first and the last ten
  CHECK(fit.idle->in(unit::W) == Approx(50));
}

TEST_CASE("A log without idle time has no idle watts, and all of it is steady") {
  const auto fit = fit_power(read(header + lines(0, 50, 300)), card(), {0, 0}, shares());
  CHECK_FALSE(fit.idle);
  CHECK(fit.samples == 40);
  CHECK(fit.after.active_floor == Approx(0.75));
}

TEST_CASE("Time goes on over the end of a day, a month and a year") {
  const auto log = read(header + lines(0, 1, 300) + "2026/01/01 00:00:00.000, 300 W\n");
  // From 23:00:00.5 to midnight.
  CHECK(log.samples.back().at.in(unit::s) == Approx(3599.5));
  CHECK(log.date == "2025-12-31");
}

TEST_CASE("Units may stand in the header, in the cells, or in both") {
  CHECK(read("timestamp, power.draw [W]\n2025/01/01 00:00:00, 99.5\n").samples[0].power ==
        99.5 * unit::W);
  CHECK(read("2025/01/01 00:00:00.001, 99.5 W\n").samples[0].power == 99.5 * unit::W);
}

TEST_CASE("Lines without a figure are counted, not zero") {
  const auto log = read(header + lines(0, 2, 100) + "2025/12/31 23:00:05.0, [Not Supported]\n" +
                        "2025/12/31 23:00:06.0, [N/A]\n");
  CHECK(log.samples.size() == 2);
  CHECK(log.without_figure == 2);
}
