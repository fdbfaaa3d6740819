// Laws between real cards and models, on the shipped data.
#include "gpucap/perf/footprint.hpp"

#include "support/catch.hpp"
#include "support/estimate.hpp"

using namespace gpucap;
using test::operator+;

namespace {

/// Far more requests at once than any card takes: what remains is the card's own speed.
test::Options flood(int requests, int prompt, int output) {
  return {{"/workload/prompt_tokens", std::to_string(prompt)},
          {"/workload/output_tokens", std::to_string(output)},
          {"/workload/requests", std::to_string(requests)},
          {"/workload/arrivals/kind", "all-at-once"}};
}

double output_rate(const std::string& gpu) {
  const auto outcome =
      test::estimate(test::node("llama-3.1-8b", gpu, "vllm-0.19") + flood(600, 1500, 200));
  return outcome.throughput.output_tokens_per_s.value();
}

}  // namespace

TEST_CASE("of two A100 on the same board, the one with more memory and bandwidth is not slower") {
  CHECK(output_rate("a100-sxm-80gb") >= output_rate("a100-sxm-40gb"));
}

TEST_CASE("as many sequences of a hybrid model run at once as its memory answer says") {
  // 4,000 + 400 tokens; the pool has room for fewer than the 64 that may run.
  const auto scenario =
      test::scenario_of(test::node("qwen3.6-27b", "h100-sxm-80gb", "vllm-0.19") +
                        test::option("max_num_seqs", "64") + flood(150, 4000, 400));
  const auto one = test::case_of(scenario);
  const auto fit = perf::largest_concurrency(one.plan.footprint.pool, 4400);
  REQUIRE(fit < 64);
  const std::int64_t per_sequence =
      (4400 + one.plan.rules.block_tokens - 1) / one.plan.rules.block_tokens;
  const std::int64_t simulated = one.plan.rules.kv_blocks / per_sequence;
  // The pool of the simulation keeps state for all 64 that may run, the answer for those that fit.
  CHECK(simulated <= fit);
  CHECK(simulated >= fit * 8 / 10);
}
