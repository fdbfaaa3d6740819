#include "gpucap/engine/agenda.hpp"

#include "gpucap/core/random.hpp"

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

TEST_CASE("ten thousand random events come out sorted") {
  Agenda<int> agenda;
  RandomStream stream(1, "agenda");
  for (int i = 0; i < 10000; ++i) agenda.schedule({stream.uniform_int(0, 99)}, Phase::arrive, i);
  engine::EventKey before;
  while (!agenda.empty()) {
    const auto key = agenda.pop().first;
    REQUIRE(before <= key);
    before = key;
  }
}
