#include "gpucap/report/json.hpp"

#include "gpucap/report/listing.hpp"

#include <limits>

#include "support/catch.hpp"
#include "support/outcomes.hpp"
#include <nlohmann/json.hpp>

using namespace gpucap;
using nlohmann::ordered_json;

namespace {
ordered_json parsed(const std::string& text) {
  return ordered_json::parse(text);
}

std::vector<std::string> keys(const ordered_json& object) {
  std::vector<std::string> names;
  for (const auto& [key, value] : object.items()) names.push_back(key);
  return names;
}
}  // namespace

TEST_CASE("keys stand in the order of the contract") {
  const auto json = parsed(report::outcome_json(test::candidate("a", 1)));
  CHECK(keys(json) ==
        std::vector<std::string>{
            "name",     "feasible",  "overloaded", "reason",      "bottleneck", "bottleneck_shares",
            "memory",   "requests",  "throughput", "queue_s",     "ttft_s",     "tpot_s",
            "itl_s",    "e2e_s",     "slo",        "utilization", "cost",       "energy",
            "interval", "provenance"});
  CHECK(keys(json["cost"]) == std::vector<std::string>{"currency", "per_hour", "run", "per_month",
                                                       "per_1000_requests",
                                                       "per_million_input_tokens",
                                                       "per_million_output_tokens", "idle_share"});
  CHECK(keys(json["e2e_s"]) ==
        std::vector<std::string>{"mean", "p50", "p90", "p95", "p99", "max", "n"});
  CHECK(keys(json["memory"]) == std::vector<std::string>{"weights_gib", "kv_cache_gib",
                                                         "activations_gib", "other_gib", "free_gib",
                                                         "kv_cache_tokens", "terms"});
}

TEST_CASE(
    "provenance names each figure whose percentiles are not exact, and nothing when all are") {
  auto outcome = test::candidate("a", 1);
  CHECK_FALSE(parsed(report::outcome_json(outcome))["provenance"].contains("quantile_error"));
  outcome.ttft_s.quantile_error = outcome.itl_s.quantile_error = 1.0 / 4096;
  CHECK(parsed(report::outcome_json(outcome))["provenance"]["quantile_error"] ==
        ordered_json{{"ttft_s", 1.0 / 4096}, {"itl_s", 1.0 / 4096}});
}

TEST_CASE("a run with no finished request has nulls, n = 0, and stays valid JSON") {
  auto outcome = test::candidate("a", std::numeric_limits<double>::infinity());
  outcome.requests.arrived = 5;
  outcome.requests.refused = 5;
  outcome.throughput.requests_per_s = std::numeric_limits<double>::quiet_NaN();
  const std::string text = report::outcome_json(outcome);
  const auto json = parsed(text);
  CHECK(json["requests"]["arrived"] == 5);
  CHECK(json["ttft_s"]["mean"].is_null());
  CHECK(json["ttft_s"]["n"] == 0);
  CHECK(json["throughput"]["requests_per_s"].is_null());
  CHECK(json["cost"]["per_million_output_tokens"].is_null());
  CHECK(json["energy"]["basis"].is_null());
  CHECK(json["interval"] == ordered_json::object());
}

TEST_CASE("of an infeasible candidate nothing was counted, so its counts are null and not zero") {
  auto outcome = test::candidate("a", std::nullopt);
  outcome.feasible = false;
  outcome.bottleneck.reset();
  outcome.reason = "weights need 14.9 GiB, the card shows 7.8";
  const auto json = parsed(report::outcome_json(outcome));
  CHECK(json["requests"]["arrived"].is_null());
  CHECK(json["bottleneck"].is_null());
  CHECK(json["bottleneck_shares"].empty());
  CHECK(json["memory"]["weights_gib"].is_null());
  CHECK(json["cost"]["currency"].is_null());
  CHECK(json["reason"] == "weights need 14.9 GiB, the card shows 7.8");
}

TEST_CASE("memory is in GiB and its terms say so") {
  auto outcome = test::candidate("a", 1);
  outcome.memory.feasible = true;
  outcome.memory.weights = 15 * unit::GiB;
  outcome.memory.terms = {{"cuda_context", 512 * unit::MiB}};
  outcome.memory.kv_cache_tokens = 41408;
  const auto memory = parsed(report::outcome_json(outcome))["memory"];
  CHECK(memory["weights_gib"] == 15.0);
  CHECK(memory["terms"]["cuda_context_gib"] == 0.5);
  CHECK(memory["kv_cache_tokens"] == 41408);
}

TEST_CASE("doubles read back equal") {
  auto outcome = test::candidate("a", 0.1 + 0.2);
  const auto json = parsed(report::outcome_json(outcome));
  CHECK(json["cost"]["per_million_output_tokens"].get<double>() == 0.1 + 0.2);
}

TEST_CASE("a run names the winners, and null where there is none") {
  const report::RunReport run{
      "s", {}, {{"3/s", {test::candidate("a", 2, 1.0), test::candidate("b", 1, 2.0)}}}};
  const auto json = parsed(report::run_json(run));
  CHECK(keys(json) == std::vector<std::string>{"scenario", "loads"});
  const auto& load = json["loads"][0];
  CHECK(keys(load) == std::vector<std::string>{"name", "candidates", "winners"});
  CHECK(load["winners"]["cost"] == "b");
  CHECK(load["winners"]["latency"] == "a");
  CHECK(load["winners"]["energy"].is_null());
}

TEST_CASE("the memory answer of a card that is too small has no largest context") {
  report::MemoryAnswer answer;
  answer.name = "a";
  answer.footprint.reason = "too small";
  answer.largest_context = 8192;
  answer.footprint.kv_bytes_per_token = 131072;
  auto json = parsed(report::memory_json(answer));
  CHECK(keys(json) ==
        std::vector<std::string>{"name", "feasible", "reason", "memory", "largest", "provenance"});
  CHECK(json["largest"]["context_tokens"].is_null());
  CHECK(json["memory"]["kv_bytes_per_token"] == 131072);
  answer.footprint.feasible = true;
  json = parsed(report::memory_json(answer));
  CHECK(json["largest"]["context_tokens"] == 8192);
}

TEST_CASE("a name that is no UTF-8 does not stop the report") {
  const auto json = parsed(report::outcome_json(test::candidate("caf\xE9", 1)));
  CHECK(json["name"] == "caf\xEF\xBF\xBD");
}

TEST_CASE("a listing is an array of objects, or one object keyed by its first field") {
  const report::Listing listing{{{"field", "FIELD"}, {"value", "VALUE"}},
                                {{"tdp_w", 450.0}, {"ecc", report::Cell{}}}};
  CHECK(parsed(report::to_json(listing)).dump() ==
        R"([{"field":"tdp_w","value":450.0},{"field":"ecc","value":null}])");
  CHECK(parsed(report::to_keyed_json(listing)).dump() ==
        R"({"tdp_w":{"value":450.0},"ecc":{"value":null}})");
}
