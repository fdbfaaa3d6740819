// The block pool, which counts what nobody looks for, against one that keeps every block.
#include "gpucap/core/random.hpp"
#include "gpucap/serving/block_pool.hpp"

#include <algorithm>
#include <deque>
#include <map>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/plain_pool.hpp"

using gpucap::RandomStream;
using gpucap::serving::BlockPool;
using gpucap::test::PlainPool;

namespace {

using Names = std::vector<PlainPool::Name>;

/// A user of both pools: its first blocks have names that others can know, the rest has not.
struct User {
  enum class State { waiting, running, parked } state = State::waiting;
  Names names;   ///< shared beginning of its content
  Names secret;  ///< names of the blocks behind, which only the plain pool needs
  std::vector<BlockPool::Content> known;
  BlockPool::Parked parked;
  std::int64_t own = 0;                  ///< blocks in the pool under test without a name
  std::vector<PlainPool::Block> blocks;  ///< all of them in the plain pool
};

class Pair {
 public:
  Pair(std::uint64_t seed, std::int64_t blocks)
      : draw_(seed, "block pool"), pool_(blocks), plain_(blocks) {
    for (int i = 0; i < 6; ++i) users_.emplace_back();
  }

  void operate() {
    User& user = users_[static_cast<std::size_t>(draw_.uniform_int(0, std::ssize(users_) - 1))];
    switch (user.state) {
      case User::State::waiting:
        begin(user);
        break;
      case User::State::parked:
        chance(0.2) ? give_up(user) : come_back(user);
        break;
      case User::State::running:
        go_on(user);
        break;
    }
    compare();
  }
  std::map<std::string, int> seen;

 private:
  bool chance(double share) { return draw_.uniform() < share; }

  void begin(User& user) {
    user = {};
    // A tree of contents with two branches at every block, so that beginnings are often equal.
    PlainPool::Name name = 1;
    for (std::int64_t i = draw_.uniform_int(0, 5); i > 0; --i) {
      name = 2 * name + (chance(0.7) ? 1 : 0);
      user.names.push_back(name);
    }
    admit(user);
  }

  /// What is found is shared; the next blocks are taken, as many as the pool has at most.
  void admit(User& user) {
    std::vector<BlockPool::Content> run;
    pool_.find(user.names, run);
    std::vector<PlainPool::Block> found = plain_.find(user.names);
    REQUIRE(run.size() == found.size());
    const bool all = run.size() == user.names.size();
    const std::int64_t own = all ? pool_.parked(user.parked) : 0;
    // In the plain pool its own blocks are found by their names, like others.
    const auto behind = all ? plain_.find(user.secret) : std::vector<PlainPool::Block>{};
    REQUIRE(own == std::ssize(behind));
    found.insert(found.end(), behind.begin(), behind.end());
    seen["named blocks found"] += run.empty() ? 0 : 1;
    seen["parked blocks found"] += own > 0 ? 1 : 0;
    seen["some parked blocks lost"] += own > 0 && behind.size() < user.secret.size() ? 1 : 0;

    std::int64_t unowned = 0;
    for (const auto block : found) unowned += plain_.owned(block) ? 0 : 1;
    REQUIRE(pool_.unowned(run) + own == unowned);
    pool_.share(run);
    if (own > 0) pool_.unpark(user.parked);
    pool_.abandon(user.parked);
    for (const auto block : found) plain_.share(block);
    user.known = run;
    user.own = own;
    user.blocks = found;
    user.secret.resize(behind.size());
    user.state = User::State::running;
    grow(user);
  }

  void grow(User& user) {
    const std::int64_t count = std::min(draw_.uniform_int(0, 6), pool_.free_blocks());
    pool_.take(count);
    for (std::int64_t i = 0; i < count; ++i) {
      const auto block = plain_.take();
      user.blocks.push_back(block);
      if (user.known.size() < user.names.size()) {
        const auto name = user.names[user.known.size()];
        seen["two blocks of one name"] += plain_.find(name) ? 1 : 0;
        plain_.name(block, name);
        user.known.push_back(pool_.publish(name));
      } else {
        user.secret.push_back(++secrets_);
        plain_.name(block, secrets_);
        ++user.own;
      }
    }
  }

  void go_on(User& user) {
    if (chance(0.5)) return grow(user);
    return chance(0.5) ? leave(user) : throw_out(user);
  }

  void release_in_plain(User& user) {
    for (; !user.blocks.empty(); user.blocks.pop_back()) plain_.release(user.blocks.back());
  }

  void leave(User& user) {
    pool_.release(user.own);
    pool_.release(user.known);
    release_in_plain(user);
    user.state = User::State::waiting;
  }

  /// The last block of its own may not be full: nobody will look for it.
  void throw_out(User& user) {
    const std::int64_t rest = user.own > 0 ? draw_.uniform_int(0, 1) : 0;
    pool_.release(rest);
    user.parked = pool_.park(user.own - rest);
    pool_.release(user.known);
    release_in_plain(user);
    user.secret.resize(user.secret.size() - static_cast<std::size_t>(rest));
    user.state = User::State::parked;
    ++seen["thrown out"];
  }

  void give_up(User& user) {
    pool_.abandon(user.parked);
    user.state = User::State::waiting;
    ++seen["given up"];
  }

  void come_back(User& user) { admit(user); }

  void compare() {
    REQUIRE(pool_.free_blocks() == plain_.free_blocks());
    for (const User& user : users_) {
      std::vector<BlockPool::Content> run;
      pool_.find(user.names, run);
      const auto found = plain_.find(user.names);
      REQUIRE(run.size() == found.size());
      std::int64_t unowned = 0;
      for (const auto block : found) unowned += plain_.owned(block) ? 0 : 1;
      REQUIRE(pool_.unowned(run) == unowned);
      if (user.state == User::State::parked) {
        REQUIRE(pool_.parked(user.parked) == std::ssize(plain_.find(user.secret)));
      }
    }
  }

  RandomStream draw_;
  BlockPool pool_;
  PlainPool plain_;
  std::deque<User> users_;
  PlainPool::Name secrets_ = 1'000'000;
};

}  // namespace

TEST_CASE("counting the blocks that nobody looks for loses and finds what keeping each one does") {
  std::map<std::string, int> seen;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    // From a pool that one user fills to one that is never short.
    Pair pair(seed, 4 + static_cast<std::int64_t>(seed % 12) * 4);
    for (int i = 0; i < 250; ++i) {
      INFO("seed " << seed << ", operation " << i);
      pair.operate();
    }
    for (const auto& [name, count] : pair.seen) seen[name] += count;
  }
  CHECK(seen.size() == 6);
  for (const auto& [name, count] : seen) {
    INFO(name);
    CHECK(count > 30);
  }
}
