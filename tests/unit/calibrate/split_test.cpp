#include "gpucap/calibrate/split.hpp"

#include "support/catch.hpp"

using namespace gpucap::calibrate;

namespace {

std::vector<std::size_t> held(const Split& split) {
  std::vector<std::size_t> indices;
  for (std::size_t i = 0; i < split.held_out.size(); ++i) {
    if (split.held_out[i]) indices.push_back(i);
  }
  return indices;
}

}  // namespace

TEST_CASE("with ten shapes every fifth in numeric order is held out whole") {
  // Shapes 10, 9, ... 1, each with sizes 1 and 2: in order 1..10 the 5th and the 10th are held out.
  std::vector<SplitKey> keys;
  for (std::int64_t shape = 10; shape >= 1; --shape) {
    keys.push_back({{shape}, 1});
    keys.push_back({{shape}, 2});
  }
  const Split result = split(keys);
  CHECK(result.groups == 10);
  // Shape 10 comes first in the list, shape 5 stands at 10 and 11.
  CHECK(held(result) == std::vector<std::size_t>{0, 1, 10, 11});
}

TEST_CASE("shapes are ordered as numbers, not as text") {
  // 2 < 10 < 300: as text 10 would come before 2. Keys of two numbers: the first decides.
  std::vector<SplitKey> keys = {{{300, 1}, 0}, {{2, 9}, 0}, {{10, 5}, 0}, {{2, 10}, 0}};
  for (std::int64_t n = 400; n < 406; ++n) keys.push_back({{n, 0}, 0});
  const Split result = split(keys);
  REQUIRE(result.groups == 10);
  CHECK(result.group[1] == 0);
  CHECK(result.group[3] == 1);
  CHECK(result.group[2] == 2);
  CHECK(result.group[0] == 3);
}

TEST_CASE("with nine shapes every fifth size is held out across them") {
  // Sizes 1..5 of nine shapes: size 5 is the fifth.
  std::vector<SplitKey> keys;
  for (std::int64_t shape = 0; shape < 9; ++shape) {
    for (std::int64_t size = 1; size <= 5; ++size) keys.push_back({{shape}, size});
  }
  const Split result = split(keys);
  CHECK(result.groups == 5);
  CHECK(held(result).size() == 9);
  for (const std::size_t i : held(result)) CHECK(keys[i].size == 5);
}
