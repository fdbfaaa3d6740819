// RAG questions of users; ids as in the list of open cases.
#include <iostream>

#include "measured_run.hpp"
#include "support/catch.hpp"
#include "support/estimate.hpp"
#include <fmt/format.h>

using namespace gpucap;
using namespace gpucap::test;

namespace {

Options one_request(int prompt, int output) {
  return clients(1, 1, prompt, output);
}

/// FLOPs of the run, from its share of the peak.
double flops_of(const evaluate::Outcome& outcome, double peak) {
  return *outcome.utilization.compute * peak * *outcome.throughput.makespan_s;
}

}  // namespace

TEST_CASE(
    "G01: 100 tokens of a 70B on four A100 40 GB need 2.2 s of reading: 2 s is out of reach") {
  const auto options = node("llama-2-70b", "a100-sxm-40gb", "vllm-0.19") +
                       split("tensor_parallel", 4) + option("max_model_len", "2048") +
                       one_request(1500, 100);
  const auto outcome = estimate(options);
  REQUIRE(outcome.feasible);
  // 138 GB / 4 / 1555 GB/s = 22 ms per token.
  const double bound = 100 * (outcome.memory.weights / (1555 * unit::GB_per_s)).in(unit::s);
  std::cout << fmt::format(
      "G01: bound {:.2f} s, predicted {:.2f} s, measured about 7 s under load\n", bound,
      *outcome.e2e_s.mean);
  CHECK(bound > 2.1);
  CHECK(bound < 2.4);
  CHECK(*outcome.e2e_s.mean > bound);
  // Even with ideal kernels.
  CHECK(*estimate(options + Options{{"/candidates/0/spec_only", "true"}}).e2e_s.mean > bound);
}

TEST_CASE("G04 (miss): 8,192 tokens of prompt on an RTX 4090 take 0.88 s, measured 1.73 s") {
  const auto outcome = estimate(node("llama-3-8b", "rtx-4090", "llama-cpp") + one_request(8191, 1));
  const auto brief = estimate(node("llama-3-8b", "rtx-4090", "llama-cpp") + one_request(512, 1));
  const double long_s = *outcome.ttft_s.mean;
  std::cout << fmt::format(
      "G04: 8,192 tokens predicted {:.2f} s, measured 1.73 s; 512 tokens predicted {:.0f} tok/s, "
      "measured 9400\n",
      long_s, 512 / *brief.ttft_s.mean);
  // At 512 tokens the kernels of vLLM class are an eighth faster. llama.cpp of that time (no
  // FlashAttention by default) loses half of it at 8,192, most likely in attention; only kernels of
  // vLLM class are fitted here.
  CHECK(512 / *brief.ttft_s.mean == Approx(9400).epsilon(0.15));
  CHECK(long_s > 0.85);  // 2 x 7.5e9 x 8192 FLOP / 165.2 TFLOP/s = 0.74 s, and attention
  CHECK(long_s < 1.4);   // the lower end of what is allowed
}

TEST_CASE("G06: twenty passages of 500 tokens cost an 8B model 1.62 s and 0.86 s at 60 % of peak") {
  // The case is arithmetic: 2 x 8.03e9 FLOP per token without attention. Counted here: products
  // of 6.98e9 weights (embedding and, but for the last token, the head do not run) plus attention.
  const auto run = [](const char* gpu) {
    return estimate(node("llama-3.1-8b", gpu, "vllm-0.19") + one_request(10000, 1));
  };
  const auto ada = run("rtx-4090");
  const auto ampere = run("a100-sxm-80gb");
  CHECK(flops_of(ada, 165.2e12) / (0.6 * 165.2e12) == Approx(1.62).epsilon(0.08));
  CHECK(flops_of(ampere, 312e12) / (0.6 * 312e12) == Approx(0.86).epsilon(0.08));
  std::cout << fmt::format("G06: predicted with fitted kernels {:.2f} s and {:.2f} s\n",
                           *ada.ttft_s.mean, *ampere.ttft_s.mean);
  CHECK(*ada.ttft_s.mean < 1.62);  // both cards do better than 60 % on long prompts
  CHECK(*ampere.ttft_s.mean < 0.86);
  CHECK(*ada.ttft_s.mean > *ampere.ttft_s.mean);
}

TEST_CASE("Q04: at 2.8 RAG requests/s an A100 40 GB holds rate x latency = 6.4 at once, never 68") {
  auto options = node("llama-3.1-8b", "a100-sxm-40gb", "vllm-0.19") +
                 Options{{"/workload/prompt_tokens", "1500"},
                         {"/workload/output_tokens", "100"},
                         {"/workload/requests", "3000"},
                         {"/workload/arrivals/kind", "poisson"},
                         {"/workload/arrivals/rate", "2.8/s"}};
  const auto outcome = estimate(options);
  Ticks in_system;
  for (const auto& bucket : outcome.timelines.at(0).buckets()) {
    in_system += bucket.running_time + bucket.waiting_time;
  }
  const double in_flight = as_seconds(in_system) / *outcome.throughput.makespan_s;
  const double rate = *outcome.throughput.requests_per_s;
  const double latency = *outcome.e2e_s.mean;
  std::cout << fmt::format("Q04: {:.2f} in flight = {:.2f}/s x {:.2f} s\n", in_flight, rate,
                           latency);
  // Little's law; the front end is before the engine and its timeline, and a request that arrives
  // during a step is counted from the next decision on, which leaves out 1.2 % of the time here.
  const double front_end =
      scenario::Library(GPUCAP_SOURCE_DIR).engines().find("vllm-0.19")->host.front_end.in(unit::s);
  CHECK(in_flight + rate * front_end == Approx(rate * latency).epsilon(0.02));
  // The article claims 2.8/s, 2.3 s and 68 at once; 2.8 x 2.3 = 6.44.
  CHECK(in_flight < 68.0 / 2);
}
