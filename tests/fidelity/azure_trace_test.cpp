#include "shared_data.hpp"
#include "support/catch.hpp"
#include "support/estimate.hpp"

using namespace gpucap;
using namespace gpucap::test;

TEST_CASE("of the 19,366 requests of the Azure conversation trace none is lost") {
  const auto file = shared_data("traces/azure_llm_2023/AzureLLMInferenceTrace_conv.csv.gz");
  if (!file) return;
  for (const int replicas : {1, 4}) {
    const auto outcome = estimate(
        node("llama-3.1-8b", "rtx-4090", "vllm-0.19") + split("replicas", replicas) +
        Options{{"/workload/trace/file", file->string()}, {"/workload/trace/format", "azure"}});
    INFO(replicas << " replicas");
    CHECK(outcome.requests.arrived == 19366);
    CHECK(outcome.requests.finished + outcome.requests.refused == 19366);
    CHECK(outcome.requests.refused == 0);  // the longest has 14,050 + 1,000 tokens at most
    CHECK(outcome.input_tokens == 22'361'870);
    CHECK(outcome.output_tokens == 4'088'665);
    // The trace lasts 3,502 s: 5.5 requests/s are too many for one card, few for four.
    const bool keeps_up = *outcome.throughput.makespan_s < 3502 * 1.01;
    CHECK(keeps_up == (replicas == 4));
  }
}
