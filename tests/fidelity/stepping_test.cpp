// The reports of real traces, stepped in both ways.
#include "gpucap/report/json.hpp"

#include "shared_data.hpp"
#include "support/catch.hpp"
#include "support/estimate.hpp"

using namespace gpucap;
using namespace gpucap::test;

namespace {

evaluate::Outcome told(const Options& options, serving::Stepping stepping) {
  const auto scenario = scenario_of(options);
  const auto loads = scenario::plan_study(scenario, library());
  auto serving_case = loads.at(0).cases.at(0);
  serving_case.stepping = stepping;
  return evaluate::evaluate(serving_case, requests_of(scenario, loads.at(0).spec));
}

void check_trace(const Options& nodes, const std::string& file, const std::string& format,
                 bool preempts = false) {
  const auto path = shared_data("traces/" + file);
  if (!path) return;
  const auto options = nodes + Options{{"/workload/trace/file", path->string()},
                                       {"/workload/trace/format", format},
                                       {"/workload/trace/requests", "3000"}};
  const auto jumps = told(options, serving::Stepping::jumps);
  const auto steps = told(options, serving::Stepping::reference);
  CHECK(jumps.requests.arrived == 3000);
  CHECK((jumps.requests.preempted > 0) == preempts);
  CHECK(report::outcome_json(jumps) == report::outcome_json(steps));
}

Options large_node() {
  return node("llama-3.1-70b", "a100-sxm-80gb", "vllm-0.19") +
         Options{{"/candidates/0/node/count", "32"},
                 {"/candidates/0/layout/tensor_parallel", "8"},
                 {"/candidates/0/layout/replicas", "4"}};
}

}  // namespace

TEST_CASE("3,000 rows of the Azure conversations: the same JSON by jumps and by single steps") {
  check_trace(large_node(), "azure_llm_2023/AzureLLMInferenceTrace_conv.csv.gz", "azure");
}

TEST_CASE("3,000 rows of the Azure code requests: the same JSON by jumps and by single steps") {
  check_trace(large_node(), "azure_llm_2023/AzureLLMInferenceTrace_code.csv", "azure");
}

TEST_CASE("3,000 rows of Mooncake, a full cache with shared prefixes: the same JSON both ways") {
  check_trace(large_node(), "mooncake_fast25/conversation_trace.jsonl.gz", "mooncake");
}

TEST_CASE("Azure conversations on one small card that has to preempt: the same JSON both ways") {
  check_trace(node("llama-3.1-8b", "rtx-4090", "vllm-0.9.2") + option("kv_cache_tokens", "20000"),
              "azure_llm_2023/AzureLLMInferenceTrace_conv.csv.gz", "azure", true);
}
