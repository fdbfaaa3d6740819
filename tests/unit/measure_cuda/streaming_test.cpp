#include "kernels/streaming.hpp"

#include <vector>

#include "support/catch.hpp"

using namespace gpucap::measure::cuda;

namespace {

void check_once(const std::vector<int>& counts) {
  for (const int count : counts) REQUIRE(count == 1);
}

}  // namespace

TEST_CASE("the threads of a stream touch each chunk once") {
  for (const std::int64_t chunks : {1, 255, 1024, 1025, 5000}) {
    std::vector<int> counts(static_cast<std::size_t>(chunks));
    for (std::int64_t block = 0; block < StreamTile::blocks(chunks); ++block) {
      for (int thread = 0; thread < StreamTile::threads; ++thread) {
        for (int i = 0; i < StreamTile::each; ++i) {
          const std::int64_t at = StreamTile::chunk(block, thread, i);
          if (at < chunks) ++counts[static_cast<std::size_t>(at)];
        }
      }
    }
    check_once(counts);
  }
}

TEST_CASE("rotary pairs are number i of a head and number i + 64, each once") {
  for (const int width : {128, 384}) {
    constexpr std::int64_t tokens = 3;
    std::vector<int> counts(static_cast<std::size_t>(tokens * width));
    for (std::int64_t index = 0; index < RotaryTile::pairs(tokens, width); ++index) {
      const RotaryTile::Spot spot = RotaryTile::spot(index, width);
      REQUIRE(spot.second == spot.first + 64);
      REQUIRE(spot.first / width == spot.token);
      REQUIRE(spot.first % 128 == spot.angle);  // heads begin at multiples of 128
      REQUIRE((spot.angle >= 0 && spot.angle <= 56));
      for (int i = 0; i < 8; ++i) {
        ++counts.at(static_cast<std::size_t>(spot.first + i));
        ++counts.at(static_cast<std::size_t>(spot.second + i));
      }
    }
    check_once(counts);
  }
}

TEST_CASE("gate and value of an output are as far apart as the width") {
  // Token 1 of width 24 begins at 48; its second chunk at 56 and 80.
  const GatedSpot spot = gated_spot(4, 24);
  CHECK(spot.gate == 56);
  CHECK(spot.value == 80);
  std::vector<int> counts(2 * 2 * 24);
  for (std::int64_t index = 0; index < 2 * 3; ++index) {
    for (std::int64_t i = 0; i < 8; ++i) {
      ++counts.at(static_cast<std::size_t>(gated_spot(index, 24).gate + i));
      ++counts.at(static_cast<std::size_t>(gated_spot(index, 24).value + i));
    }
  }
  check_once(counts);
}

TEST_CASE("after both halves of an all-reduce every card has every sum") {
  for (const int ranks : {2, 3, 8}) {
    for (const std::int64_t chunks : {1, 7, 8, 1001}) {
      // Card r holds the number r + 1 everywhere: the sum is ranks (ranks + 1) / 2.
      std::vector<std::vector<int>> out(static_cast<std::size_t>(ranks),
                                        std::vector<int>(static_cast<std::size_t>(chunks)));
      for (int rank = 0; rank < ranks; ++rank) {
        const Share share = share_of(rank, ranks, chunks);
        for (std::int64_t at = share.begin; at < share.end; ++at) {
          for (int other = 0; other < ranks; ++other) {
            out[static_cast<std::size_t>(rank)].at(static_cast<std::size_t>(at)) += other + 1;
          }
        }
      }
      const auto summed = out;
      for (int rank = 0; rank < ranks; ++rank) {
        for (std::int64_t at = 0; at < chunks; ++at) {
          const int owner = owner_of(at, ranks, chunks);
          REQUIRE((owner >= 0 && owner < ranks));
          const auto place = static_cast<std::size_t>(at);
          const int value = summed[static_cast<std::size_t>(owner)].at(place);
          if (owner != rank) out[static_cast<std::size_t>(rank)].at(place) = value;
          REQUIRE(out[static_cast<std::size_t>(rank)].at(place) == ranks * (ranks + 1) / 2);
        }
      }
    }
  }
}
