#include "gpucap/catalog/gpus.hpp"

#include "support/catch.hpp"

using namespace gpucap;
using catalog::JsonDocument;

namespace {

/// A whole sheet; `from` replaced by `to` makes a wrong one.
std::string sheet(const std::string& from = "", const std::string& to = "") {
  std::string text = R"({
  "id": "card",
  "name": "A card",
  "vendor": "V",
  "architecture": "Ada",
  "form_factor": "pcie",
  "compute_capability": {"value": "8.9", "kind": "source", "source": "s"},
  "sm_count": {"value": 10, "kind": "source", "source": "s"},
  "dense_peaks": {
    "bf16": {"value": "100 TFLOP/s", "kind": "derived", "source": "s"}
  },
  "memory_total": {"value": "24564 MiB", "kind": "source", "source": "s"},
  "memory_visible": {"value": "23 GiB", "kind": "assumed", "source": "s"},
  "memory_bandwidth": {"value": "1008 GB/s", "kind": "source", "source": "s"},
  "tdp": {"value": "450 W", "kind": "source", "source": "s"},
  "peer_to_peer": {"value": "no", "kind": "source", "source": "s"}
})";
  if (!from.empty()) text.replace(text.find(from), from.size(), to);
  return text;
}

std::string fault_of(const std::string& from, const std::string& to) {
  try {
    catalog::read_gpu(JsonDocument("specs/card.json", sheet(from, to)));
  } catch (const InputError& error) {
    return error.what();
  }
  return "none";
}

}  // namespace

TEST_CASE("a sheet reads with its units and facts") {
  const auto gpu = catalog::read_gpu(JsonDocument("specs/card.json", sheet())).gpu;
  CHECK(gpu.peak(Dtype::bf16).in(unit::TFLOP_per_s) == Approx(100));
  CHECK(gpu.memory_visible.in(unit::GiB) == Approx(23));
  CHECK(gpu.sources.at("dense_peaks/bf16").kind == "derived");
  CHECK(gpu.sources.at("memory_visible").kind == "assumed");
}

TEST_CASE("an unknown key, unit or kind is named where it stands") {
  CHECK(fault_of("\"tdp\"", "\"tpd\": 1, \"tdp\"") ==
        "specs/card.json:15:10: /tpd: unknown key \"tpd\"; did you mean \"tdp\"? [unknown-key]");
  CHECK(fault_of("1008 GB/s", "1008 GB")
            .find("specs/card.json:14:33: /memory_bandwidth/value: unknown unit \"GB\"") == 0);
  CHECK(fault_of("\"derived\"", "\"recalled\"")
            .find("/dense_peaks/bf16/kind: unknown kind of fact \"recalled\"") !=
        std::string::npos);
  CHECK(fault_of("\"bf16\"", "\"bf61\"").find("did you mean \"bf16\"?") != std::string::npos);
}

TEST_CASE("a missing cell, value or source is named") {
  CHECK(
      fault_of("  \"tdp\": {\"value\": \"450 W\", \"kind\": \"source\", \"source\": \"s\"},\n", "")
          .find("\"tdp\" is missing") != std::string::npos);
  CHECK(fault_of("{\"value\": 10, ", "{").find("/sm_count: \"value\" is missing") !=
        std::string::npos);
  CHECK(
      fault_of("\"8.9\", \"kind\": \"source\", \"source\": \"s\"", "\"8.9\", \"kind\": \"source\"")
          .find("/compute_capability: \"source\" is missing") != std::string::npos);
  CHECK(fault_of("\"bf16\": {\"value\": \"100 TFLOP/s\", \"kind\": \"derived\", \"source\": \"s\"}",
                 "")
            .find("/dense_peaks: no peak is given") != std::string::npos);
}

TEST_CASE("impossible values are refused") {
  CHECK(fault_of("23 GiB", "25 GiB").find("a program cannot see more than the card has") !=
        std::string::npos);
  CHECK(fault_of("450 W", "0 W").find("/tdp/value: must be above zero") != std::string::npos);
  CHECK(fault_of("\"value\": 10", "\"value\": -1").find("/sm_count/value: must be above zero") !=
        std::string::npos);
  CHECK(fault_of("\"id\": \"card\"", "\"id\": \"crad\"").find("stands in a file named") !=
        std::string::npos);
}

TEST_CASE("two sheets cannot share a name") {
  catalog::GpuSheet one;
  one.gpu.id = "a";
  catalog::GpuSheet two;
  two.gpu.id = "b";
  two.aliases = {"A"};
  CHECK_THROWS_AS(catalog::GpuBook({one, two}), InputError);
}
