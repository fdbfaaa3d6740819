#include "gpucap/engine/agenda.hpp"

#include "gpucap/core/random.hpp"

#include <memory>
#include <set>
#include <string>

#include "support/catch.hpp"

using namespace gpucap;
using engine::Agenda;
using engine::Phase;

namespace {
std::string drain(Agenda<char>& agenda) {
  std::string order;
  while (!agenda.empty()) order += agenda.pop().second;
  return order;
}
}  // namespace

TEST_CASE("events of one instant keep the order of scheduling, with or without an empty one") {
  Agenda<char> plain, padded;
  for (const char c : {'A', 'B', 'C'}) plain.schedule({5}, Phase::decide, c);
  padded.schedule({5}, Phase::decide, '.');
  for (const char c : {'A', 'B', 'C'}) padded.schedule({5}, Phase::decide, c);
  CHECK(drain(plain) == "ABC");
  CHECK(drain(padded) == ".ABC");
}

TEST_CASE("time comes before phase, phase before order") {
  Agenda<char> agenda;
  agenda.schedule({5}, Phase::observe, 'd');
  agenda.schedule({5}, Phase::release, 'b');
  agenda.schedule({5}, Phase::arrive, 'c');
  agenda.schedule({4}, Phase::observe, 'a');
  CHECK(drain(agenda) == "abcd");
}

TEST_CASE("next() names what pop() returns, also between a pop and the next schedule") {
  Agenda<char> agenda;
  agenda.schedule({1}, Phase::arrive, 'a');
  agenda.schedule({3}, Phase::decide, 'c');
  agenda.schedule({2}, Phase::arrive, 'b');
  CHECK(agenda.pop().second == 'a');
  CHECK(agenda.size() == 2);
  CHECK(agenda.next() == engine::EventKey{{2}, Phase::arrive, 2});
  agenda.schedule({2}, Phase::release, 'B');
  CHECK(agenda.size() == 3);
  CHECK(agenda.next() == engine::EventKey{{2}, Phase::release, 3});
  CHECK(drain(agenda) == "Bbc");
}

TEST_CASE("an event need only be movable") {
  Agenda<std::unique_ptr<int>> agenda;
  for (int i : {3, 1, 2}) agenda.schedule({i}, Phase::arrive, std::make_unique<int>(i));
  for (int i : {1, 2, 3}) CHECK(*agenda.pop().second == i);
}

namespace {

/// An agenda and a sorted set that are told the same; what they give is compared.
class Compared {
 public:
  /// One event of a random phase, up to `width` ns after the last one popped.
  void schedule(std::int64_t width) {
    const SimTime time{now_ + random_.uniform_int(0, width)};
    const auto phase = static_cast<Phase>(random_.uniform_int(0, 3));
    agenda_.schedule(time, phase, scheduled_);
    sorted_.insert({{time, phase, scheduled_}, scheduled_});
    ++scheduled_;
    REQUIRE(agenda_.size() == sorted_.size());
  }
  void pop() {
    REQUIRE(agenda_.next() == sorted_.begin()->first);
    REQUIRE(agenda_.pop() == *sorted_.begin());
    now_ = sorted_.begin()->first.time.ns;
    sorted_.erase(sorted_.begin());
    REQUIRE(agenda_.size() == sorted_.size());
    REQUIRE(agenda_.empty() == sorted_.empty());
  }
  std::int64_t draw(std::int64_t least, std::int64_t most) {
    return random_.uniform_int(least, most);
  }
  [[nodiscard]] std::size_t size() const { return sorted_.size(); }

 private:
  Agenda<std::uint64_t> agenda_;
  std::set<std::pair<engine::EventKey, std::uint64_t>> sorted_;
  RandomStream random_{1, "agenda"};
  std::uint64_t scheduled_ = 0;
  std::int64_t now_ = 0;
};

}  // namespace

TEST_CASE(
    "the agenda equals a sorted set while it grows to 60,000 events, shrinks and grows again") {
  // Three times the heap of near events, so that events wait in bands; instants 0..5 at first and
  // then 1,000 wide, so that bands are split between events of one instant as well.
  Compared both;
  for (const std::int64_t width : {5, 1000}) {
    for (int i = 0; i < 60000; ++i) both.schedule(width);
    for (int i = 0; i < 30000; ++i) both.pop(), both.schedule(width);
    while (both.size() > 0) {
      both.pop();
      if (both.draw(0, 4) == 0) both.schedule(width);
    }
  }
}

TEST_CASE("the agenda equals a sorted set while it goes from a few events to many and back") {
  // Eight are few. It drifts to a size between 1 and 20 and then to another one, or to none.
  Compared both;
  for (int i = 0; i < 5000; ++i) {
    const auto wanted = static_cast<std::size_t>(both.draw(0, 1) * both.draw(1, 20));
    while (both.size() < wanted) {
      both.schedule(10);
      if (both.draw(0, 2) == 0) both.pop();
    }
    while (both.size() > wanted) {
      both.pop();
      if (both.draw(0, 2) == 0) both.schedule(10);
    }
  }
}
