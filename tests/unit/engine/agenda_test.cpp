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

TEST_CASE(
    "the agenda equals a sorted set while it grows to 60,000 events, shrinks and grows again") {
  // Three times the heap of near events, so that events wait in bands; instants 0..5 at first and
  // then 1,000 wide, so that bands are split between events of one instant as well.
  Agenda<std::uint64_t> agenda;
  std::set<std::pair<engine::EventKey, std::uint64_t>> sorted;
  RandomStream random(1, "agenda");
  std::uint64_t scheduled = 0;
  std::int64_t now = 0;
  const auto schedule = [&](std::int64_t width) {
    const SimTime time{now + random.uniform_int(0, width)};
    const auto phase = static_cast<Phase>(random.uniform_int(0, 3));
    agenda.schedule(time, phase, scheduled);
    sorted.insert({{time, phase, scheduled}, scheduled});
    ++scheduled;
  };
  const auto pop = [&] {
    REQUIRE(agenda.next() == sorted.begin()->first);
    REQUIRE(agenda.pop() == *sorted.begin());
    now = sorted.begin()->first.time.ns;
    sorted.erase(sorted.begin());
    REQUIRE(agenda.empty() == sorted.empty());
  };
  for (const std::int64_t width : {5, 1000}) {
    for (int i = 0; i < 60000; ++i) schedule(width);
    CHECK(agenda.size() == sorted.size());
    for (int i = 0; i < 30000; ++i) pop(), schedule(width);
    while (!sorted.empty()) {
      pop();
      if (random.uniform_int(0, 4) == 0) schedule(width);
    }
  }
}
