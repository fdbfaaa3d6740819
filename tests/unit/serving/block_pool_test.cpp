#include "gpucap/serving/block_pool.hpp"

#include "support/catch.hpp"

using gpucap::serving::BlockPool;

namespace {

using Run = std::vector<BlockPool::Content>;

Run found(const BlockPool& pool, const std::vector<BlockPool::Hash>& hashes) {
  Run run;
  pool.find(hashes, run);
  return run;
}

/// Takes a block for each hash and makes it findable.
Run published(BlockPool& pool, const std::vector<BlockPool::Hash>& hashes) {
  Run run;
  pool.take(std::ssize(hashes));
  for (const auto hash : hashes) run.push_back(pool.publish(hash));
  return run;
}

}  // namespace

TEST_CASE("a released sequence is found again until its blocks are handed out, tail first") {
  BlockPool pool(4);
  const std::vector<BlockPool::Hash> hashes{100, 101, 102};
  const Run mine = published(pool, hashes);
  pool.release(mine);
  CHECK(found(pool, hashes).size() == 3);
  // The never used block goes first, then the tail of the released sequence.
  pool.take(2);
  CHECK(found(pool, hashes).size() == 2);
  pool.take(1);
  CHECK(found(pool, hashes).size() == 1);
}

TEST_CASE("a shared block is free only when the last owner has left") {
  BlockPool pool(2);
  const Run mine = published(pool, {7});
  pool.share(mine);
  pool.release(mine);
  CHECK(pool.free_blocks() == 1);
  pool.release(mine);
  CHECK(pool.free_blocks() == 2);
}

TEST_CASE("taking back an unowned block uses up a free one") {
  BlockPool pool(3);
  const Run mine = published(pool, {1, 2});
  pool.release(mine);
  CHECK(pool.unowned(mine) == 2);
  const Run again = found(pool, {1});
  pool.share(again);
  CHECK(pool.free_blocks() == 2);
  CHECK(pool.unowned(again) == 0);
}

TEST_CASE("of two copies of one content the second stays findable when the first is overwritten") {
  BlockPool pool(2);
  const Run first = published(pool, {9});
  const Run second = published(pool, {9});
  pool.release(first);
  CHECK(found(pool, {9}) == first);
  pool.take(1);
  CHECK(found(pool, {9}) == second);
}

TEST_CASE("a run stops at the first block that is not resident") {
  BlockPool pool(3);
  published(pool, {1, 3});
  CHECK(found(pool, {1, 2, 3}).size() == 1);
}

TEST_CASE("parked blocks wait for their sequence and are lost from the end, in the order of all") {
  BlockPool pool(8);
  pool.take(8);
  pool.release(2);  // given back first, handed out first
  const auto parked = pool.park(4);
  pool.release(1);
  CHECK(pool.free_blocks() == 7);
  pool.take(3);
  CHECK(pool.parked(parked) == 3);  // two nameless ones, then the last of the parked
  pool.unpark(parked);
  CHECK(pool.parked(parked) == 0);
  CHECK(pool.free_blocks() == 1);
}

TEST_CASE("who asks for parked blocks after they are gone gets none, whoever has them now") {
  BlockPool pool(2);
  pool.take(2);
  const auto first = pool.park(2);
  pool.take(2);
  const auto second = pool.park(1);
  CHECK(pool.parked(first) == 0);
  CHECK(pool.parked(second) == 1);
  pool.unpark(first);
  pool.abandon(first);
  CHECK(pool.parked(second) == 1);
  CHECK(pool.free_blocks() == 1);
}
