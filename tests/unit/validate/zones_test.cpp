#include "gpucap/validate/prediction.hpp"

#include "support/catch.hpp"

using namespace gpucap;
using namespace gpucap::validate;

namespace {

evaluate::Outcome outcome(std::int64_t finished, std::int64_t preempted, double waits_for_blocks) {
  evaluate::Outcome one;
  one.requests.finished = finished;
  one.requests.preempted = preempted;
  one.bottleneck_shares[static_cast<std::size_t>(record::Cause::kv_cache)] = waits_for_blocks;
  return one;
}

}  // namespace

TEST_CASE("the zone follows the load: light below 0.7 of capacity, knee up to 0.95") {
  const auto calm = outcome(1000, 0, 0);
  CHECK(zone_of(calm, 0) == Zone::light);
  CHECK(zone_of(calm, 0.69) == Zone::light);
  CHECK(zone_of(calm, 0.7) == Zone::knee);
  CHECK(zone_of(calm, 0.95) == Zone::knee);
  CHECK(zone_of(calm, 0.96) == Zone::saturated);
}

TEST_CASE("one preempted request in a hundred, or 5 % of the time, is not yet KV-bound") {
  CHECK(zone_of(outcome(1000, 10, 0.05), 0.5) == Zone::light);
  CHECK(zone_of(outcome(1000, 11, 0), 0.5) == Zone::kv_bound);
  CHECK(zone_of(outcome(1000, 0, 0.06), 1.5) == Zone::kv_bound);
}

TEST_CASE("a figure is taken from the statistic that was measured") {
  auto one = outcome(1, 0, 0);
  one.tpot_s.p50 = 0.02;
  one.itl_s.mean = 0.03;
  one.throughput.total_tokens_per_s = 500;
  CHECK(*predicted_value(one, {"tpot", "p50", 1}) == 0.02);
  CHECK(*predicted_value(one, {"tpot", "itl mean", 1}) == 0.03);
  CHECK(*predicted_value(one, {"throughput", "total tok/s", 1}) == 500);
  CHECK_FALSE(predicted_value(one, {"ttft", "p50", 1}));
}

TEST_CASE("requests that come one at a time are light, all at once they saturate") {
  scenario::Library library(GPUCAP_SOURCE_DIR);
  ServingCase one;
  one.options = {{"model", "llama-3.1-8b"},
                 {"gpu", "rtx-4090"},
                 {"prompt-tokens", "100"},
                 {"output-tokens", "10"},
                 {"requests", "20"}};
  ServingCase alone = one, burst = one, impossible = one;
  alone.options.emplace_back("concurrency", "1");
  burst.options.emplace_back("all-at-once", "");
  impossible.options.emplace_back("concurrency", "1");
  impossible.options[0].second = "llama-3.1-70b";
  const auto found = predict({alone, burst, impossible}, library);
  REQUIRE(found.size() == 3);
  CHECK(found[0].zone == Zone::light);
  CHECK(found[1].zone == Zone::saturated);
  CHECK(found[2].refusal.find("weights") != std::string::npos);  // 141 GB on 24
}
