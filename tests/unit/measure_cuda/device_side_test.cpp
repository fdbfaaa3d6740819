#include "nvml.hpp"
#include "operands.hpp"
#include "support/catch.hpp"

using namespace gpucap::measure;

TEST_CASE("copies of operands outrun twice the L2 before one comes again") {
  // L2 of 50 MB: operands of 30 MB, 100 / 30 rounded up are 4 others. From 800 MB on one will do.
  CHECK(cuda::copies_to_outrun(50'000'000, 30'000'000) == 5);
  CHECK(cuda::copies_to_outrun(50'000'000, 100'000'000) == 2);
  CHECK(cuda::copies_to_outrun(50'000'000, 799'999'999) == 2);
  CHECK(cuda::copies_to_outrun(50'000'000, 800'000'000) == 1);
  CHECK(cuda::copies_to_outrun(50'000'000, 256) == 390'626);
}

TEST_CASE("throttle reasons are those that slow a card down unasked") {
  CHECK(cuda::throttle_text(0).empty());
  CHECK(cuda::throttle_text(0x1 | 0x2).empty());  // idle; clocks set by somebody
  CHECK(cuda::throttle_text(0x4) == "power cap");
  CHECK(cuda::throttle_text(0x4 | 0x20) == "power cap, too hot");
}

TEST_CASE("where NVML is absent, so is what it would say") {
  const cuda::Nvml nvml("0000:FF:1F.7");  // no card has this bus id
  CHECK(nvml.driver().empty());
  CHECK_FALSE(nvml.largest_clock());
  const DeviceState state = nvml.state();
  CHECK_FALSE(state.clock);
  CHECK_FALSE(state.power);
  CHECK_FALSE(state.temperature_c);
  CHECK(state.throttled.empty());
}
