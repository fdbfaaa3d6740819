#include "gpucap/workload/generator.hpp"

#include <set>

#include "support/catch.hpp"
#include "trace_files.hpp"

using namespace gpucap;
using namespace gpucap::workload;

namespace {

GeneratorSpec spec(std::int64_t requests) {
  return {.seed = 7,
          .requests = requests,
          .arrivals = *Arrivals::poisson(2 * unit::per_s),
          .prompt_tokens = *parse_lengths("uniform:100..200"),
          .output_tokens = *parse_lengths("10")};
}

}  // namespace

TEST_CASE("a generator makes as many requests as asked, numbered from 0, in order of arrival") {
  const Load load = generate(spec(500));
  const auto requests = all_of(*load.requests);
  REQUIRE(requests.size() == 500);
  CHECK(requests[0].arrival == SimTime{0});
  for (std::size_t i = 1; i < requests.size(); ++i) {
    REQUIRE(requests[i].id == static_cast<std::int64_t>(i));
    REQUIRE(requests[i].arrival >= requests[i - 1].arrival);
  }
  CHECK(load.requests->block_tokens() == 0);
  CHECK_FALSE(load.clients);
}

TEST_CASE("the same spec gives the same requests and another seed gives others") {
  GeneratorSpec other = spec(20);
  other.seed = 8;
  const auto a = all_of(*generate(spec(20)).requests), again = all_of(*generate(spec(20)).requests);
  const auto b = all_of(*generate(other).requests);
  bool differ = false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    CHECK(a[i].arrival == again[i].arrival);
    CHECK(a[i].prompt_tokens == again[i].prompt_tokens);
    differ |= a[i].prompt_tokens != b[i].prompt_tokens;
  }
  CHECK(differ);
}

TEST_CASE("another arrival rate leaves the lengths as they were") {
  GeneratorSpec faster = spec(50);
  faster.arrivals = *Arrivals::poisson(20 * unit::per_s);
  const auto a = all_of(*generate(spec(50)).requests), b = all_of(*generate(faster).requests);
  for (std::size_t i = 0; i < a.size(); ++i) REQUIRE(a[i].prompt_tokens == b[i].prompt_tokens);
}

TEST_CASE("a closed loop hands its clients on") {
  GeneratorSpec closed = spec(5);
  closed.arrivals = *Arrivals::closed_loop(3);
  const Load load = generate(closed);
  CHECK(load.clients == 3);
  CHECK(all_of(*load.requests).size() == 5);
}

TEST_CASE("a shared prefix gives equal ids to its whole blocks and to nothing else") {
  GeneratorSpec shared = spec(3);
  shared.prompt_tokens = *parse_lengths("100");
  shared.shared_prefix = SharedPrefix{.tokens = 40};
  const Load load = generate(shared);
  const auto requests = all_of(*load.requests);
  CHECK(load.requests->block_tokens() == 16);
  std::set<std::uint64_t> own;
  for (const Request& request : requests) {
    // 100 tokens are 6 whole blocks of 16 and one of 4; 40 shared tokens hold 2 whole blocks.
    REQUIRE(request.prompt_blocks.size() == 7);
    CHECK(request.prompt_blocks[0] == 0);
    CHECK(request.prompt_blocks[1] == 1);
    own.insert(request.prompt_blocks.begin() + 2, request.prompt_blocks.end());
  }
  CHECK(own.size() == 3 * 5);
  CHECK(*own.begin() == 2);
}

TEST_CASE("a prompt inside the prefix shares its whole blocks only") {
  GeneratorSpec shared = spec(2);
  shared.prompt_tokens = *parse_lengths("20");
  shared.shared_prefix = SharedPrefix{.tokens = 64};
  const auto requests = all_of(*generate(shared).requests);
  // 20 tokens: one whole block, shared, and 4 tokens of a block of their own.
  CHECK(requests[0].prompt_blocks == std::vector<std::uint64_t>{0, 4});
  CHECK(requests[1].prompt_blocks == std::vector<std::uint64_t>{0, 5});
}

TEST_CASE("several prefixes are all used") {
  GeneratorSpec shared = spec(100);
  shared.shared_prefix = SharedPrefix{.tokens = 32, .block_tokens = 16, .groups = 3};
  std::set<std::uint64_t> first;
  for (const Request& request : all_of(*generate(shared).requests)) {
    first.insert(request.prompt_blocks[0]);
  }
  // Two blocks each: the texts begin with block 0, 2 and 4.
  CHECK(first == std::set<std::uint64_t>{0, 2, 4});
}

TEST_CASE("a generator lists everything that is out of range") {
  GeneratorSpec bad = spec(0);
  bad.shared_prefix = SharedPrefix{.tokens = -1, .block_tokens = 0};
  try {
    generate(bad);
    FAIL("accepted");
  } catch (const InputError& error) {
    REQUIRE(error.problems().size() == 3);
    CHECK(error.problems()[0].line() == "requests: 0 is below 1 [out-of-range]");
  }
}
