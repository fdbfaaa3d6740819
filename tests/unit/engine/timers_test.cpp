#include "gpucap/engine/timers.hpp"

#include "gpucap/core/random.hpp"

#include <optional>
#include <set>

#include "support/catch.hpp"

using namespace gpucap;
using engine::Phase;
using engine::Timers;

namespace {

/// The same by a sorted set: slow, and plain to see.
class Oracle {
 public:
  explicit Oracle(std::size_t owners) : pending_(owners) {}
  void set(std::size_t owner, SimTime time, Phase phase) {
    clear(owner);
    pending_[owner] = Timers::Due{time, phase, owner};
    order_.insert(*pending_[owner]);
  }
  void clear(std::size_t owner) {
    if (pending_[owner]) order_.erase(*pending_[owner]);
    pending_[owner].reset();
  }
  [[nodiscard]] bool empty() const { return order_.empty(); }
  [[nodiscard]] Timers::Due next() const { return *order_.begin(); }

 private:
  std::vector<std::optional<Timers::Due>> pending_;
  std::set<Timers::Due> order_;
};

template <class Both>
void change_at_random(Both both, std::size_t owners, RandomStream& random) {
  const auto owner = static_cast<std::size_t>(random.uniform_int(0, std::int64_t(owners) - 1));
  if (random.uniform_int(0, 3) == 0) {
    both([&](auto& timers) { timers.clear(owner); });
  } else {
    // Few instants, so that phase and owner decide often; before 0 as well.
    const SimTime time{random.uniform_int(-20, 20)};
    const auto phase = static_cast<Phase>(random.uniform_int(0, 3));
    both([&](auto& timers) { timers.set(owner, time, phase); });
  }
}

}  // namespace

TEST_CASE("timers of one instant come by phase, then by owner") {
  Timers timers(3);
  timers.set(0, {7}, Phase::decide);
  timers.set(2, {7}, Phase::release);
  timers.set(1, {7}, Phase::release);
  CHECK(timers.next() == Timers::Due{{7}, Phase::release, 1});
  timers.clear(1);
  CHECK(timers.next() == Timers::Due{{7}, Phase::release, 2});
  timers.set(2, {8}, Phase::release);
  CHECK(timers.next() == Timers::Due{{7}, Phase::decide, 0});
}

TEST_CASE("clearing an owner that waits for nothing changes nothing") {
  Timers timers(2);
  timers.clear(1);
  CHECK(timers.empty());
  timers.set(0, {1}, Phase::arrive);
  timers.clear(1);
  CHECK(timers.next().owner == 0);
}

TEST_CASE("never is an instant like others, the last one") {
  Timers timers(2);
  timers.set(1, SimTime::never(), Phase::observe);
  CHECK(timers.next() == Timers::Due{SimTime::never(), Phase::observe, 1});
  timers.set(0, {5}, Phase::observe);
  CHECK(timers.next().owner == 0);
}

TEST_CASE("timers equal a sorted set after every one of 20,000 random changes") {
  for (const std::size_t owners : {1, 2, 4, 5, 6, 21, 22, 300}) {
    Timers timers(owners);
    Oracle oracle(owners);
    RandomStream random(owners, "timers");
    const auto both = [&](auto change) { change(timers), change(oracle); };
    for (int i = 0; i < 20000; ++i) {
      change_at_random(both, owners, random);
      REQUIRE(timers.empty() == oracle.empty());
      if (!oracle.empty()) REQUIRE(timers.next() == oracle.next());
    }
  }
}
