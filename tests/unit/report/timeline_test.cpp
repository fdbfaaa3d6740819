#include "gpucap/report/timeline_csv.hpp"

#include <vector>

#include "support/catch.hpp"

using namespace gpucap;
using record::State;

namespace {
constexpr std::int64_t second = 1'000'000'000;

record::Timeline::Bucket half_busy() {
  record::Timeline::Bucket bucket;
  auto& decode = bucket.by_state[static_cast<std::size_t>(State::decode)];
  decode.time = to_ticks(SimTime{second});
  decode.flops = 40;
  decode.bytes = 30;
  bucket.running_time = to_ticks(SimTime{second}) * 3;
  bucket.kv_tokens_time = to_ticks(SimTime{second}) * 500;
  return bucket;
}
}  // namespace

TEST_CASE("a bucket's shares and means are over its whole width") {
  auto listing = report::empty_timeline();
  const std::vector buckets = {record::Timeline::Bucket{}, half_busy()};
  report::add_timeline(listing, {"3/s", "a", 1}, SimTime{2 * second}, buckets,
                       {FlopRate::from_base(100), Bandwidth::from_base(20)});
  // second bucket of 2 s: 1 s decode = 0.5; 3 running for 1 s = 1.5; 500 tokens for 1 s = 250;
  // 40 FLOP of 2 s x 100 = 0.2; 30 B of 2 s x 20 = 0.75
  CHECK(report::to_csv(listing) ==
        "load,candidate,replica,stage,start_s,width_s,busy_share,prefill_share,decode_share,"
        "running_mean,"
        "waiting_mean,kv_tokens_mean,compute_utilization,memory_bandwidth_utilization\r\n"
        "3/s,a,1,0,0,2,0,0,0,0,0,0,0,0\r\n"
        "3/s,a,1,0,2,2,0.5,0,0.5,1.5,0,250,0.2,0.75\r\n");
}

TEST_CASE("without peaks the utilisation is empty, not zero") {
  auto listing = report::empty_timeline();
  report::add_timeline(listing, {"", "a", 0}, SimTime{second}, std::vector{half_busy()}, {});
  CHECK(report::to_csv(listing).find(",500,,\r\n") != std::string::npos);
}
