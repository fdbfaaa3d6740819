#include "gpucap/calibrate/screen.hpp"

#include "support/catch.hpp"
#include "written_file.hpp"

using namespace gpucap;
using namespace gpucap::calibrate;

namespace {

// 100 TFLOP/s and 1000 GB/s: 1 TFLOP takes at least 10 ms, 1 GB at least 1 ms.
const perf::Card card{100 * unit::TFLOP_per_s, 1000 * unit::GB_per_s, 100};

perf::Work work(Flops flops, Bytes bytes) {
  perf::Work result;
  result.flops = flops;
  result.bytes = bytes;
  return result;
}

}  // namespace

TEST_CASE("a rate of 103 % of peak is refused, one of 101 % is genuine") {
  // 1 TFLOP in 9.70 ms is 103.1 TFLOP/s, in 9.90 ms 101.0.
  const perf::Work one = work(unit::TFLOP, unit::MB);
  CHECK(impossible(one, 9.70 * unit::ms, card, Bytes{}) == "rate above peak + 2 %");
  CHECK_FALSE(impossible(one, 9.90 * unit::ms, card, Bytes{}));
}

TEST_CASE("traffic above the card's bandwidth is refused where it outgrows the cache") {
  // 1 GB in 0.97 ms is 1031 GB/s.
  const perf::Work one = work(unit::TFLOP * 0, unit::GB);
  CHECK(impossible(one, 0.97 * unit::ms, card, 50 * unit::MB) == "traffic above bandwidth + 2 %");
  CHECK_FALSE(impossible(one, 0.99 * unit::ms, card, 50 * unit::MB));
  CHECK_FALSE(impossible(one, 0.97 * unit::ms, card, 2 * unit::GB));
}

TEST_CASE("a time that is not above zero is refused") {
  CHECK(impossible(work(unit::flop, unit::byte), Seconds{}, card, Bytes{}) ==
        "time not above zero");
}

TEST_CASE("an excluded row is counted with its reason, a row of another card is not") {
  const test::WrittenFile file(
      "gpu,layer,m,n,k,time_us\n"
      "Toy,head,1,2,3,4\n"
      "Toy,body,1,2,3,4\n"
      "Other,head,1,2,3,4\n");
  const SampleTable table = SampleTable::read(file.path());
  const RowChoice choice{{}, {"toy"}, {{{{"layer", {"head"}}}, "ran unsharded"}}};
  Refusals refused;
  CHECK_FALSE(choice.takes(table, 0, refused));
  CHECK(choice.takes(table, 1, refused));
  CHECK_FALSE(choice.takes(table, 2, refused));
  CHECK(refused == Refusals{{"ran unsharded", 1}});
}
