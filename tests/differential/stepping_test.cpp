// Jumps against single steps: equal bit for bit, in whatever engine and under whatever load.
#include <cstdlib>
#include <iostream>
#include <map>
#include <string>

#include "features.hpp"
#include "support/catch.hpp"
#include "support/random_world.hpp"
#include "told.hpp"

using namespace gpucap;
using namespace gpucap::test;
using serving::Stepping;

namespace {

std::int64_t number_from(const char* variable, std::int64_t otherwise) {
  const char* given = std::getenv(variable);
  return given == nullptr ? otherwise : std::atoll(given);
}

}  // namespace

TEST_CASE("jumps and single steps tell the same of random engines and loads, bit for bit") {
  const std::int64_t first = number_from("GPUCAP_DIFFERENTIAL_SEED", 0);
  const std::int64_t cases = number_from("GPUCAP_DIFFERENTIAL_CASES", 1500);
  const std::int64_t requests = number_from("GPUCAP_DIFFERENTIAL_REQUESTS", 60);
  std::map<std::string, int> seen;
  for (std::int64_t seed = first; seed < first + cases; ++seed) {
    INFO("seed " << seed);
    const toy::World world = toy::random_world(static_cast<std::uint64_t>(seed), requests);
    Told jumps, steps;
    const auto jumped = world.run(jumps, Stepping::jumps);
    const auto stepped = world.run(steps, Stepping::reference);
    REQUIRE(jumps.arrivals == steps.arrivals);
    REQUIRE(all_same(jumps.requests, steps.requests));
    REQUIRE((jumps.gaps == steps.gaps));
    REQUIRE(jumped.end == stepped.end);
    REQUIRE(jumped.blocks_left == 0);
    REQUIRE(stepped.blocks_left == 0);
    REQUIRE(all_same(jumped.timelines, stepped.timelines));
    REQUIRE(steps.jumped == 0);
    count_features(world, jumps, jumped, seen);
  }
  std::cout << cases << " worlds, of which with\n";
  for (const auto& [name, count] : seen) std::cout << "  " << name << ": " << count << '\n';
  // A feature that no world has is not tested.
  for (const auto& [name, count] : seen) {
    INFO(name);
    CHECK(count > 0);
  }
}
