#include "gpucap/serving/block_pool.hpp"

#include "support/catch.hpp"

using gpucap::serving::BlockPool;

namespace {
std::vector<BlockPool::Block> taken(BlockPool& pool, std::int64_t count) {
  std::vector<BlockPool::Block> blocks;
  pool.take(count, blocks);
  return blocks;
}
}  // namespace

TEST_CASE("a released sequence is found again until its blocks are handed out, tail first") {
  BlockPool pool(4);
  const auto mine = taken(pool, 3);
  for (std::size_t i = 0; i < 3; ++i) pool.publish(mine[i], 100 + i);
  pool.release(mine);
  const BlockPool::Hash hashes[] = {100, 101, 102};
  CHECK(pool.find(hashes).size() == 3);
  // The never used block goes first, then the tail of the released sequence.
  taken(pool, 2);
  CHECK(pool.find(hashes).size() == 2);
  taken(pool, 1);
  CHECK(pool.find(hashes).size() == 1);
}

TEST_CASE("a shared block is free only when the last owner has left") {
  BlockPool pool(2);
  const auto mine = taken(pool, 1);
  pool.publish(mine[0], 7);
  pool.share(mine);
  pool.release(mine);
  CHECK(pool.free_blocks() == 1);
  pool.release(mine);
  CHECK(pool.free_blocks() == 2);
}

TEST_CASE("taking back an unowned block uses up a free one") {
  BlockPool pool(3);
  const auto mine = taken(pool, 2);
  pool.publish(mine[0], 1);
  pool.release(mine);
  CHECK(pool.unowned(mine) == 2);
  const BlockPool::Hash hash[] = {1};
  const auto found = pool.find(hash);
  pool.share(found);
  CHECK(pool.free_blocks() == 2);
  CHECK(pool.unowned(found) == 0);
}

TEST_CASE("of two copies of one content the second stays findable when the first is overwritten") {
  BlockPool pool(2);
  const auto first = taken(pool, 1);
  const auto second = taken(pool, 1);
  pool.publish(first[0], 9);
  pool.publish(second[0], 9);
  pool.release(first);
  const BlockPool::Hash hash[] = {9};
  CHECK(pool.find(hash) == first);
  taken(pool, 1);
  CHECK(pool.find(hash) == second);
}

TEST_CASE("a run stops at the first block that is not resident") {
  BlockPool pool(3);
  const auto mine = taken(pool, 3);
  pool.publish(mine[0], 1);
  pool.publish(mine[2], 3);
  const BlockPool::Hash hashes[] = {1, 2, 3};
  CHECK(pool.find(hashes).size() == 1);
}
