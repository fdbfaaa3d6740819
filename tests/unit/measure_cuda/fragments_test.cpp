#include "kernels/fragments.hpp"

#include <set>

#include "kernels/attention_tiles.hpp"
#include "support/catch.hpp"

using namespace gpucap::measure::cuda;

TEST_CASE("the lanes' accumulators are a tile of 16 x 8, once each") {
  std::set<std::pair<int, int>> places;
  for (int lane = 0; lane < 32; ++lane) {
    for (int i = 0; i < 4; ++i) {
      const Place place = accumulator_place(lane, i);
      places.insert({place.row, place.column});
      CHECK((place.row >= 0 && place.row < 16 && place.column >= 0 && place.column < 8));
    }
  }
  CHECK(places.size() == 128);
}

TEST_CASE("a tile's chunks have places of their own") {
  std::set<int> four, eight, sixteen;
  for (int row = 0; row < 128; ++row) {
    for (int chunk = 0; chunk < 16; ++chunk) {
      if (chunk < 4) four.insert(chunk_offset<4>(row, chunk));
      if (chunk < 8) eight.insert(chunk_offset<8>(row, chunk));
      sixteen.insert(chunk_offset<16>(row, chunk));
    }
  }
  CHECK((four.size() == 512 && *four.rbegin() == 511 * 16));
  CHECK((eight.size() == 1024 && *eight.rbegin() == 1023 * 16));
  CHECK((sixteen.size() == 2048 && *sixteen.rbegin() == 2047 * 16));
}

TEST_CASE("what Turing multiplies in parts covers the fragment of one product") {
  // m16n8k8: a register holds rows lane / 4 (+ 8) and numbers 2 (lane % 4) and the next of 8. The
  // kernel gives half h registers 2 h, 2 h + 1 of A: in the fragment of 16 numbers these are rows
  // + 0 and + 8, words lane % 4 + 4 h, which are numbers 8 h + 2 (lane % 4) and the next.
  for (int lane = 0; lane < 32; ++lane) {
    for (int half = 0; half < 2; ++half) {
      for (int r = 0; r < 2; ++r) {
        const Place place = left_word(lane, 2 * half + r);
        CHECK(place.row == lane / 4 + 8 * r);
        CHECK(place.column == 4 * half + lane % 4);
      }
    }
    // m8n8k16, bytes: part p takes register p, rows 8 (p % 2) on, words 4 (p / 2) on, and adds to
    // accumulators 2 (p % 2) and the next, which are those rows.
    for (int part = 0; part < 4; ++part) {
      CHECK(left_word(lane, part).row == lane / 4 + 8 * (part % 2));
      CHECK(left_word(lane, part).column == 4 * (part / 2) + lane % 4);
      CHECK(accumulator_place(lane, 2 * (part % 2)).row == lane / 4 + 8 * (part % 2));
    }
  }
}
