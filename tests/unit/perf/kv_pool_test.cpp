#include "gpucap/perf/footprint.hpp"

#include "support/catch.hpp"

using namespace gpucap::perf;

namespace {
KvPool pool(std::int64_t blocks) {
  KvPool p;
  p.blocks = blocks;
  p.bytes_per_block = 1;
  return p;
}
}  // namespace

TEST_CASE("block 0 is never handed out") {
  // 11 blocks of 16: 10 usable, 160 tokens for one sequence and ten sequences of one block.
  CHECK(largest_context(pool(11), 1000) == 160);
  CHECK(largest_concurrency(pool(11), 16) == 10);
  CHECK(largest_concurrency(pool(11), 17) == 5);
  CHECK(largest_context(pool(1), 1000) == 0);
  CHECK(largest_context(pool(0), 1000) == 0);
  CHECK(largest_concurrency(pool(0), 16) == 0);
}

TEST_CASE("a window group stops growing one block beyond the window") {
  auto p = pool(1000);
  p.window_groups = 2;
  p.window_tokens = 64;
  CHECK(blocks_of_sequence(p, 16) == 3);          // one block in each of three groups
  CHECK(blocks_of_sequence(p, 80) == 5 + 2 * 5);  // 5 whole, 4 + 1 in each window group
  CHECK(blocks_of_sequence(p, 1600) == 100 + 2 * 5);
}

TEST_CASE("recurrent state takes one block per group whatever the length") {
  auto p = pool(1000);
  p.state_groups = 3;
  CHECK(blocks_of_sequence(p, 1) == 4);
  CHECK(blocks_of_sequence(p, 1600) == 103);
  CHECK(largest_context(p, 1'000'000) == (999 - 3) * 16);
}
