// The plan: something of every kind early on, nothing that the memory does not hold.
#include "gpucap/measure/plan.hpp"

#include <set>

#include "support/catch.hpp"

using namespace gpucap;
using namespace gpucap::measure;

namespace {

DeviceFacts device(const char* kind, double memory_gib) {
  DeviceFacts facts;
  facts.kind = kind;
  facts.memory = memory_gib * unit::GiB;
  return facts;
}

std::set<std::size_t> kinds(const std::vector<Planned>& plan, std::size_t first) {
  std::set<std::size_t> seen;
  for (std::size_t i = 0; i < std::min(first, plan.size()); ++i) seen.insert(plan[i].work.index());
  return seen;
}

}  // namespace

TEST_CASE("the first dozen of a plan has every kind of work that the device does") {
  CHECK(kinds(calibration_plan(device("cuda", 80)), 12).size() == 5);  // all but exchanges
  CHECK(kinds(calibration_plan(device("cuda", 80)), 1000).size() == 7);
  CHECK(kinds(calibration_plan(device("cpu", 16)), 12).size() == 5);
}

TEST_CASE("a processor is not asked for transfers, nor for other formats than FP32") {
  for (const Planned& planned : calibration_plan(device("cpu", 16))) {
    CHECK_FALSE(std::holds_alternative<Transfer>(planned.work));
    const auto* product = std::get_if<Product>(&planned.work);
    if (product != nullptr) CHECK(product->dtype == Dtype::fp32);
  }
}

TEST_CASE("a small card is spared what it cannot hold") {
  // Two arrays of 1 GiB and a third for the triad: 3 GiB, more than 0.4 x 4.
  const auto large = [](const std::vector<Planned>& plan) {
    for (const Planned& planned : plan) {
      const auto* stream = std::get_if<Stream>(&planned.work);
      if (stream != nullptr && stream->bytes >= 1 * unit::GiB) return true;
    }
    return false;
  };
  CHECK(large(calibration_plan(device("cuda", 16))));
  CHECK_FALSE(large(calibration_plan(device("cuda", 4))));
}
