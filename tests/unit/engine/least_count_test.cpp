#include "gpucap/engine/least_count.hpp"

#include "gpucap/core/random.hpp"

#include <algorithm>

#include "support/catch.hpp"

using namespace gpucap;
using engine::LeastCount;

TEST_CASE("among equal counts the first owner is the least") {
  LeastCount counts(3);
  CHECK(counts.least() == 0);  // 0 0 0
  counts.add(0, 2);
  CHECK(counts.least() == 1);  // 2 0 0
  counts.add(1, 2);
  counts.add(2, 3);
  CHECK(counts.least() == 0);  // 2 2 3
  counts.set(2, -1);
  CHECK(counts.least() == 2);  // 2 2 -1
}

TEST_CASE("the least count equals that of a search after every one of 20,000 random changes") {
  for (const std::size_t owners : {1, 2, 4, 5, 6, 21, 22, 1000}) {
    LeastCount counts(owners);
    std::vector<std::int64_t> plain(owners, 0);
    RandomStream random(owners, "least count");
    for (int i = 0; i < 20000; ++i) {
      // As a router does: the least one gets one more, somebody else has finished some.
      const std::size_t least = counts.least();
      counts.add(least, 1), ++plain[least];
      const auto other = static_cast<std::size_t>(random.uniform_int(0, std::int64_t(owners) - 1));
      const std::int64_t count = random.uniform_int(0, 20);
      counts.set(other, count), plain[other] = count;
      const auto search = std::min_element(plain.begin(), plain.end());
      REQUIRE(counts.least() == std::size_t(search - plain.begin()));
      REQUIRE(counts.count(counts.least()) == *search);
    }
  }
}
