// The JSON that scripts rely on: exactly the keys of the command line contract, in every case.

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

#include "support/catch.hpp"
#include <nlohmann/json.hpp>

namespace {

using Json = nlohmann::ordered_json;

struct Answer {
  int status = -1;
  Json json;
};

Answer ask(const std::string& words) {
  const std::string command = std::string(GPUCAP_PROGRAM) + " " + words + " --format json --quiet";
  FILE* pipe = popen(command.c_str(), "r");
  REQUIRE(pipe != nullptr);
  std::string text;
  char piece[4096];
  while (const std::size_t read = fread(piece, 1, sizeof piece, pipe)) text.append(piece, read);
  const int status = pclose(pipe);
  CAPTURE(command, text);
  REQUIRE(WIFEXITED(status));
  return {WEXITSTATUS(status), Json::parse(text)};
}

const Json summary =
    Json::parse(R"({"mean": 0, "p50": 0, "p90": 0, "p95": 0, "p99": 0, "max": 0, "n": 0})");
const Json memory = Json::parse(R"({"weights_gib": 0, "kv_cache_gib": 0, "activations_gib": 0,
    "other_gib": 0, "free_gib": 0, "kv_cache_tokens": 0, "terms": null})");
const Json provenance = Json::parse(
    R"({"version": 0, "inputs_sha256": null, "calibration": 0, "offers": 0, "seed": 0})");

/// The keys of one candidate; null marks an object whose keys are not fixed.
Json candidate_shape() {
  Json shape = Json::parse(R"({"name": 0, "feasible": 0, "overloaded": 0, "reason": 0,
      "bottleneck": 0, "bottleneck_shares": null, "memory": 0,
      "requests": {"arrived": 0, "finished": 0, "refused": 0, "preempted": 0, "prefix_hit_rate": 0},
      "throughput": {"requests_per_s": 0, "input_tokens_per_s": 0, "output_tokens_per_s": 0,
                     "total_tokens_per_s": 0, "makespan_s": 0},
      "queue_s": 0, "ttft_s": 0, "tpot_s": 0, "itl_s": 0, "e2e_s": 0, "slo": {"attained": 0},
      "utilization": {"busy": 0, "compute": 0, "memory_bandwidth": 0, "kv_cache_mean": 0},
      "cost": {"currency": 0, "per_hour": 0, "run": 0, "per_month": 0, "per_1000_requests": 0,
               "per_million_input_tokens": 0, "per_million_output_tokens": 0, "idle_share": 0},
      "energy": {"kwh": 0, "mean_w": 0, "joules_per_output_token": 0, "gco2e": 0, "basis": 0},
      "interval": {}, "provenance": 0})");
  for (const char* key : {"queue_s", "ttft_s", "tpot_s", "itl_s", "e2e_s"}) shape[key] = summary;
  shape["memory"] = memory;
  shape["provenance"] = provenance;
  return shape;
}

/// Same keys in the same order, all the way down.
void check_shape(const Json& given, const Json& shape, const std::string& at) {
  CAPTURE(at);
  if (shape.is_null()) {
    CHECK(given.is_object());
    return;
  }
  if (!shape.is_object()) {
    CHECK_FALSE(given.is_object());
    return;
  }
  REQUIRE(given.is_object());
  std::vector<std::string> keys, wanted;
  for (const auto& [key, value] : given.items()) keys.push_back(key);
  for (const auto& [key, value] : shape.items()) wanted.push_back(key);
  REQUIRE(keys == wanted);
  for (const std::string& key : keys) check_shape(given[key], shape[key], at + "/" + key);
}

const std::string on_4090 = "--model llama-3.1-8b --gpu rtx-4090 ";
const std::string lengths = "--prompt-tokens 1500 --output-tokens 100 --requests 20 ";

/// A scenario with one candidate that fits and one that does not, in a file of its own.
class ScenarioFile {
 public:
  ScenarioFile() {
    std::ofstream(path_) << R"({"format": "gpucap-scenario/1", "name": "s", "workload": {
        "kind": "serving", "model": "llama-3.1-70b", "requests": 5, "prompt_tokens": 100,
        "output_tokens": 10, "arrivals": {"kind": "all-at-once"}}, "candidates": [
        {"name": "fits", "node": {"gpu": "a100-sxm-80gb", "count": 4},
         "layout": {"tensor_parallel": 4}, "price": "6 EUR/h"},
        {"name": "not", "node": {"gpu": "rtx-4090"}, "price": "0.4 EUR/h"}]})";
  }
  ~ScenarioFile() { std::filesystem::remove(path_); }
  ScenarioFile(const ScenarioFile&) = delete;
  ScenarioFile& operator=(const ScenarioFile&) = delete;
  [[nodiscard]] std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_ = std::filesystem::temp_directory_path() /
                                ("gpucap-contract-" + std::to_string(getpid()) + ".json");
};

}  // namespace

TEST_CASE("estimate serving prints exactly the keys of the contract") {
  const auto [status, json] =
      ask("estimate serving " + on_4090 + lengths + "--request-rate 2 --price-per-hour 1.20EUR");
  CHECK(status == 0);
  check_shape(json, candidate_shape(), "");
  CHECK(json["feasible"] == true);
  CHECK(json["reason"].is_null());
  CHECK(json["cost"]["currency"] == "EUR");
  CHECK(json["cost"]["per_hour"] == 1.2);
  CHECK(json["requests"]["arrived"] == 20);
  CHECK(json["requests"]["finished"] == 20);
  double shares = 0;
  for (const auto& [cause, share] : json["bottleneck_shares"].items())
    shares += share.get<double>();
  CHECK(shares == Approx(1));
}

TEST_CASE("what does not exist is null: no price, no limit, no grid factor") {
  const auto [status, json] = ask("estimate serving " + on_4090 + lengths + "--concurrency 2");
  CHECK(status == 0);
  check_shape(json, candidate_shape(), "");
  for (const auto& [key, value] : json["cost"].items()) CHECK(value.is_null());
  CHECK(json["slo"]["attained"].is_null());
  CHECK(json["energy"]["gco2e"].is_null());
  CHECK(json["energy"]["basis"].is_string());
}

TEST_CASE("answers of one token have no time between tokens") {
  const auto [status, json] =
      ask("estimate serving " + on_4090 +
          "--prompt-tokens 50 --output-tokens 1 --requests 3 --all-at-once");
  CHECK(status == 0);
  for (const char* metric : {"tpot_s", "itl_s"}) {
    CHECK(json[metric]["mean"].is_null());
    CHECK(json[metric]["p95"].is_null());
    CHECK(json[metric]["n"] == 0);
  }
  CHECK(json["ttft_s"]["n"] == 3);
}

TEST_CASE("an infeasible estimate has status 2, a reason and no figures of a run") {
  const auto [status, json] =
      ask("estimate serving --model llama-3.1-70b --gpu rtx-4090 " + lengths + "--request-rate 2");
  CHECK(status == 2);
  check_shape(json, candidate_shape(), "");
  CHECK(json["feasible"] == false);
  CHECK(json["reason"].is_string());
  CHECK(json["bottleneck"].is_null());
  CHECK(json["memory"]["weights_gib"] > 100);
  CHECK(json["memory"]["kv_cache_tokens"].is_null());
  for (const char* part : {"requests", "throughput", "utilization", "energy"}) {
    for (const auto& [key, value] : json[part].items()) {
      CAPTURE(part, key);
      CHECK(value.is_null());
    }
  }
  CHECK(json["e2e_s"]["max"].is_null());
}

TEST_CASE("memory prints exactly the keys of the contract") {
  Json shape = Json::parse(R"({"name": 0, "feasible": 0, "reason": 0, "memory": 0,
      "largest": {"context_tokens": 0, "concurrency": 0, "micro_batch": 0, "seq_len": 0},
      "provenance": 0})");
  shape["memory"] = memory;
  shape["memory"]["kv_bytes_per_token"] = 0;
  shape["provenance"] = provenance;
  const auto [status, json] = ask("memory serving " + on_4090);
  CHECK(status == 0);
  check_shape(json, shape, "");
  // 2 x 32 layers x 8 heads x 128 x 2 B.
  CHECK(json["memory"]["kv_bytes_per_token"] == 131072);
  CHECK(json["largest"]["context_tokens"] > 1000);
  CHECK(json["largest"]["micro_batch"].is_null());
  const auto [full, none] = ask("memory serving --model llama-3.1-70b --gpu rtx-4090");
  CHECK(full == 2);
  check_shape(none, shape, "");
  CHECK(none["reason"].is_string());
  CHECK(none["largest"]["context_tokens"].is_null());
}

TEST_CASE("run prints loads, candidates and winners, and only an eligible candidate wins") {
  const ScenarioFile file;
  const auto [status, json] = ask("run " + file.path());
  CHECK(status == 0);
  REQUIRE(json.size() == 2);
  CHECK(json["scenario"] == "s");
  REQUIRE(json["loads"].size() == 1);
  const Json& load = json["loads"][0];
  REQUIRE(load.size() == 3);
  REQUIRE(load["candidates"].size() == 2);
  for (const Json& candidate : load["candidates"]) check_shape(candidate, candidate_shape(), "");
  CHECK(load["candidates"][1]["feasible"] == false);
  const Json all_fits = {{"cost", "fits"}, {"latency", "fits"}, {"energy", "fits"}};
  CHECK(load["winners"] == all_fits);
}

TEST_CASE("run with no feasible candidate has status 2 and no winner") {
  const ScenarioFile file;
  const auto [status, json] = ask("run " + file.path() + " --set /candidates/0/node/count=1" +
                                  " --set /candidates/0/layout/tensor_parallel=1");
  CHECK(status == 2);
  const Json nobody = {{"cost", nullptr}, {"latency", nullptr}, {"energy", nullptr}};
  CHECK(json["loads"][0]["winners"] == nobody);
}

TEST_CASE("a dry run lists every candidate as JSON and runs nothing") {
  const ScenarioFile file;
  const auto [status, json] = ask("run " + file.path() + " --dry-run");
  CHECK(status == 0);
  REQUIRE(json.size() == 2);
  CHECK(json[0]["candidate"] == "fits");
  CHECK(json[1]["reason"].is_string());
}
