// One input is changed, the named bottleneck moves. Real cards, shipped data.
#include "support/catch.hpp"
#include "support/estimate.hpp"

using namespace gpucap;
using namespace gpucap::test;
using record::Cause;

namespace {

double share(const evaluate::Outcome& outcome, Cause cause) {
  return outcome.bottleneck_shares.at(static_cast<std::size_t>(cause));
}

Options llama_8b_on(const std::string& gpu) {
  return node("llama-3.1-8b", gpu, "vllm-0.19");
}

}  // namespace

TEST_CASE("with twenty times the memory bandwidth the limit moves from memory to compute") {
  // 16 clients of 500 + 200 tokens: 200 steps that read 16 GB of weights against one prompt pass.
  const auto scenario = scenario_of(llama_8b_on("rtx-4090") + clients(16, 64, 500, 200));
  auto one = case_of(scenario);
  const auto before = evaluate::evaluate(one, requests_of(scenario, {}));
  // The plan is changed, not the card: fits are refused for a card of another bandwidth.
  auto& bandwidth = one.plan.question.node.gpu.memory_bandwidth;
  bandwidth = 20 * bandwidth;
  const auto after = evaluate::evaluate(one, requests_of(scenario, {}));
  CHECK(before.bottleneck == Cause::memory_bandwidth);
  CHECK(after.bottleneck == Cause::compute);
  CHECK(share(before, Cause::memory_bandwidth) > 0.5);
  CHECK(*after.throughput.makespan_s < *before.throughput.makespan_s);
}

TEST_CASE("without peer-to-peer two cards that share each layer are limited by the link") {
  // A prompt of 1500 tokens moves 2 x 32 x 1500 x 4096 x 2 bytes = 0.79 GB: 39 ms at the 20 GB/s
  // of peer-to-peer, 144 ms at the 5.5 GB/s through the host; its products take 1500 x 14 GFLOP /
  // 2 / 165 TFLOP/s = 64 ms. Sixteen prompts of 1500 tokens also wait for the 2048 of a step, so
  // the queue has a share of its own.
  const auto two =
      llama_8b_on("rtx-4090") + split("tensor_parallel", 2) + clients(16, 64, 1500, 20);
  const auto host = [&](const std::string& id) {
    return estimate(two + Options{{"/candidates/0/node/host", id}});
  };
  const auto direct = host("pcie4-p2p");
  const auto staged = host("pcie4-no-p2p");
  CHECK(share(direct, Cause::link) < 0.7 * share(direct, Cause::compute));
  CHECK(share(staged, Cause::link) > 2 * share(staged, Cause::compute));
  CHECK(*staged.throughput.makespan_s > 1.8 * *direct.throughput.makespan_s);
}

TEST_CASE("a smaller pool makes requests wait for KV blocks") {
  // 32 clients of 700 tokens need 22,400 at once; 4,000 tokens hold 5 of them.
  const auto load = llama_8b_on("rtx-4090") + clients(32, 64, 500, 200);
  const auto ample = estimate(load);
  const auto scarce = estimate(load + option("kv_cache_tokens", "4000"));
  CHECK(ample.memory.kv_cache_tokens > 22400);
  CHECK(share(ample, Cause::kv_cache) == 0);
  CHECK(ample.bottleneck == Cause::memory_bandwidth);
  CHECK(scarce.bottleneck == Cause::kv_cache);
}

TEST_CASE("a longer pause of the host between steps makes the host the limit") {
  // A decode step takes about 18 ms; 0.7 ms of gap is 4 % of it, 100 ms is 85 %.
  auto scenario = scenario_of(llama_8b_on("rtx-4090") + clients(8, 16, 500, 100));
  const auto quick = outcome_of(scenario);
  scenario.candidates[0].engine.profile->host.gap = 100 * unit::ms;
  const auto slow = outcome_of(scenario);
  CHECK(quick.bottleneck == Cause::memory_bandwidth);
  CHECK(share(quick, Cause::host) < 0.1);
  CHECK(slow.bottleneck == Cause::host);
  CHECK(share(slow, Cause::host) > 0.7);
}

TEST_CASE("with one sequence at a time the others wait in the queue, not for memory") {
  const auto load = llama_8b_on("rtx-4090") + clients(8, 32, 500, 100);
  const auto together = estimate(load);
  const auto alone = estimate(load + option("max_num_seqs", "1"));
  CHECK(together.bottleneck == Cause::memory_bandwidth);
  CHECK(alone.bottleneck == Cause::queue);
  CHECK(share(alone, Cause::kv_cache) == 0);
}
