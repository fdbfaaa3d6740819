#include "gpucap/cluster/free_map.hpp"

#include "support/catch.hpp"

using namespace gpucap::cluster;

namespace {

Placement taken(FreeMap& map, std::int64_t thousandths, Packing packing = Packing::pack) {
  Placement placement = map.place(thousandths, packing);
  map.take(placement);
  return placement;
}

/// Three nodes of four GPUs with 1, 3 and 4 free.
FreeMap uneven() {
  FreeMap map(3, 4);
  map.take({{{0, 0b0111}}});
  map.take({{{1, 0b0001}}});
  return map;
}

}  // namespace

TEST_CASE("packing takes the node with the fewest free GPUs that suffice, spreading the emptiest") {
  const FreeMap map = uneven();
  CHECK(map.place(1000, Packing::pack).parts == std::vector<Part>{{0, 0b1000}});
  CHECK(map.place(2000, Packing::pack).parts == std::vector<Part>{{1, 0b0110}});
  CHECK(map.place(1000, Packing::spread).parts == std::vector<Part>{{2, 0b0001}});
}

TEST_CASE("free GPUs on two nodes are no place for a gang that one node could hold") {
  // 1 + 3 + 4 are free; after a gang of 4 there are 1 + 3, and 4 do not fit.
  FreeMap map = uneven();
  CHECK(map.fits(4000));
  taken(map, 4000);
  CHECK(map.fits(3000));
  CHECK_FALSE(map.fits(4000));
}

TEST_CASE("a gang larger than a node stands on whole nodes and one more for the rest") {
  FreeMap map(3, 4);
  map.take({{{0, 0b0001}}});
  CHECK(map.fits(8000));
  CHECK(map.fits(11000));
  CHECK_FALSE(map.fits(12000));
  // The rest of 2 goes to the node that is in use already.
  CHECK(map.place(6000, Packing::pack).parts == std::vector<Part>{{1, 0b1111}, {0, 0b0110}});
  CHECK(map.place(6000, Packing::spread).parts == std::vector<Part>{{1, 0b1111}, {2, 0b0011}});
  taken(map, 8000);
  CHECK_FALSE(map.fits(5000));  // no whole node is left
  CHECK(map.fits(3000));
}

TEST_CASE("shares of a GPU stand together when packed, apart when spread") {
  FreeMap packed(1, 4);
  taken(packed, 400);
  CHECK(taken(packed, 400).parts == std::vector<Part>{{0, 0b0001}});
  CHECK(taken(packed, 400).parts == std::vector<Part>{{0, 0b0010}});  // 200 are too few
  CHECK(taken(packed, 200).parts == std::vector<Part>{{0, 0b0001}});  // the tightest fit
  FreeMap spread(1, 2);
  taken(spread, 400, Packing::spread);
  CHECK(taken(spread, 400, Packing::spread).parts == std::vector<Part>{{0, 0b0010}});
  CHECK(taken(spread, 400, Packing::spread).parts == std::vector<Part>{{0, 0b0001}});
}

TEST_CASE("a GPU is whole again only when its last share has gone") {
  FreeMap map(1, 1);
  const Placement one = taken(map, 300), two = taken(map, 700);
  CHECK_FALSE(map.fits(1));
  map.give(one);
  CHECK(map.fits(300));
  CHECK_FALSE(map.fits(1000));
  map.give(two);
  CHECK(map.fits(1000));
}

TEST_CASE("a closed node offers nothing, not even what comes free on it") {
  FreeMap map(2, 2);
  const Placement share = taken(map, 500);
  map.close(0);
  CHECK(map.place(400, Packing::pack).parts == std::vector<Part>{{1, 0b01}});
  map.give(share);
  CHECK_FALSE(map.fits(3000));
  map.open(0);
  CHECK(map.fits(4000));
}

TEST_CASE("reserved GPUs are handed out first or not at all") {
  FreeMap map(1, 4);
  map.reserve({{{0, 0b1100}}});
  CHECK(map.place(1000, Packing::pack).parts == std::vector<Part>{{0, 0b0100}});
  map.offer_reserved(false);
  CHECK(map.place(1000, Packing::pack).parts == std::vector<Part>{{0, 0b0001}});
  CHECK_FALSE(map.fits(3000));
  map.offer_reserved(true);
  map.drop_reservation();
  CHECK(map.place(3000, Packing::pack).parts == std::vector<Part>{{0, 0b0111}});
}

TEST_CASE("all 64 GPUs of a node can be taken at once") {
  FreeMap map(2, 64);
  CHECK(taken(map, 64000).parts == std::vector<Part>{{0, ~std::uint64_t{0}}});
  CHECK(map.fits(64000));
  CHECK_FALSE(map.fits(65000));
}
