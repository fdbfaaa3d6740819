// Speeds that users measured; ids as in the list of open cases. A test whose name says "miss"
// holds the value that is predicted today against the measured one: docs/misses.md has the cause.
#include <iostream>

#include "measured_run.hpp"
#include "support/catch.hpp"
#include "support/estimate.hpp"
#include <fmt/format.h>

using namespace gpucap;
using namespace gpucap::test;

namespace {

/// Tokens per second of one stream while it decodes.
double decode_rate(const Options& options) {
  const auto outcome = estimate(options);
  INFO(outcome.reason.value_or(""));
  REQUIRE(outcome.feasible);
  return 1 / *outcome.tpot_s.p50;
}

void say(const std::string& id, double predicted, double measured) {
  std::cout << fmt::format("{}: predicted {:.2f}, measured {:.2f} ({:+.1f} %)\n", id, predicted,
                           measured, error_percent(predicted, measured));
}

Options llama_cpp(const std::string& model) {
  return node(model, "rtx-4090", "llama-cpp") + clients(1, 2, 1, 512);
}

/// 200 requests of ShareGPT-like lengths at 16 per second, on 4090s without peer-to-peer.
double output_rate_of_14b(int cards) {
  const auto outcome =
      estimate(node("deepseek-r1-distill-qwen-14b", "rtx-4090", "vllm-0.8.5") +
               split("tensor_parallel", cards) +
               Options{{"/workload/prompt_tokens", "exponential:mean=208.25,max=900"},
                       {"/workload/output_tokens", "exponential:mean=207.34,max=900"},
                       {"/workload/requests", "200"},
                       {"/workload/arrivals/kind", "poisson"},
                       {"/workload/arrivals/rate", "16/s"}});
  return *outcome.throughput.output_tokens_per_s;
}

}  // namespace

TEST_CASE("S12 (miss): one stream on an A100 40 GB decodes at 66 tok/s, measured 75 (67 to 83)") {
  const double rate =
      decode_rate(node("llama-3.1-8b", "a100-pcie-40gb", "vllm-0.21") + clients(1, 4, 1024, 128));
  say("S12", rate, 75);
  // 16.06 GB at 1555 GB/s are 10.3 ms: 77 % of it is 13.4 ms, predicted 15.1 ms.
  CHECK(rate == Approx(75).epsilon(0.15));
  CHECK(rate < 1555 / 16.06);
}

TEST_CASE("S16: 48 clients on an RTX 4090 get 890 to 1490 tok/s, first token within 2x of 840 ms") {
  // The source sent 256-token prompts for answers of up to 128 tokens; 1190 tok/s at 11.87
  // requests/s are answers of 100.
  const auto outcome =
      estimate(node("mistral-7b", "rtx-4090", "vllm-0.15") + clients(48, 300, 256, 100));
  const double rate = *outcome.throughput.output_tokens_per_s;
  say("S16 tok/s", rate, 1190);
  say("S16 TTFT p50 ms", *outcome.ttft_s.p50 * 1e3, 840);
  CHECK(rate > 890);
  CHECK(rate < 1490);
  CHECK(*outcome.ttft_s.p50 > 0.42);
  CHECK(*outcome.ttft_s.p50 < 1.68);
}

TEST_CASE("S17: a tuned stream of Llama-2-7B on an A100 80 GB decodes at 89 to 121 tok/s") {
  // Measured 104.9 with gpt-fast, which is not among the engines: the two nearest bracket nothing
  // but both lie within the tolerance.
  for (const char* engine : {"vllm-0.19", "llama-cpp"}) {
    const double rate =
        decode_rate(node("llama-2-7b", "a100-sxm-80gb", engine) + clients(1, 2, 5, 200));
    say(std::string("S17 ") + engine, rate, 104.9);
    CHECK(rate > 89);
    CHECK(rate < 121);
  }
}

TEST_CASE("S19: 4-bit weights speed one stream up by about 1.9, far from 4") {
  // Group 128 stands for the measured group 32, vLLM for gpt-fast.
  const auto stream = node("llama-2-7b", "a100-sxm-80gb", "vllm-0.19") + clients(1, 2, 5, 200);
  const double full = decode_rate(stream);
  const double quarter = decode_rate(stream + option("weight_dtype", "int4-awq"));
  say("S19", quarter, 196.8);
  CHECK(quarter > 160);
  CHECK(quarter < 236);
  CHECK(quarter / full < 3);
}

TEST_CASE("S21: a second card with half of the layers does not speed up one stream of llama.cpp") {
  const double one = decode_rate(llama_cpp("llama-3-8b"));
  const double two = decode_rate(llama_cpp("llama-3-8b") + split("pipeline_parallel", 2));
  say("S21 one card", one, 54.84);
  say("S21 two cards", two, 53.64);
  for (const double rate : {one, two}) {
    CHECK(rate > 49);
    CHECK(rate < 60);
  }
  CHECK(two < 1.03 * one);
}

TEST_CASE("S22: 70B in 4 bits does not fit one RTX 4090 and fits two as a layer split") {
  const auto options = llama_cpp("llama-3-70b") + option("weight_dtype", "q4_k_m");
  CHECK_FALSE(estimate(options).feasible);
  const auto two = options + split("pipeline_parallel", 2);
  // A stream is bound by reading the weights: 6 % more of them take 6 % longer.
  const double rate = 0.94 * decode_rate(two);
  say("S22", rate, 19.22);
  CHECK(rate > 16.3);
  CHECK(rate < 22.1);
}

TEST_CASE("llama.cpp on cards that no fit saw: Llama-3-8B in 4 bits within the stated 40 %") {
  // Decode of 1,024 tokens, and a prompt of as many; Ada cards borrow from the RTX 4090.
  struct Run {
    const char* card;
    double decode, prompt;
  };
  for (const Run& run :
       {Run{"rtx-4000-ada", 58.59, 2310.53}, Run{"rtx-5000-ada", 89.87, 4467.46}}) {
    const auto options =
        node("llama-3-8b", run.card, "llama-cpp") + option("weight_dtype", "q4_k_m");
    const double decode = decode_rate(options + clients(1, 2, 1, 1024));
    const auto prompt = estimate(options + clients(1, 2, 1024, 1));
    const double rate = 1024 / *prompt.ttft_s.mean;
    say(std::string(run.card) + " decode tok/s", decode, run.decode);
    say(std::string(run.card) + " prompt tok/s", rate, run.prompt);
    CHECK(decode == Approx(run.decode).epsilon(0.15));
    CHECK(rate == Approx(run.prompt).epsilon(0.4));
  }
}

TEST_CASE("a quantised 8B is no faster than its 16-bit form at a large batch of prompts") {
  for (const char* card : {"a100-sxm-80gb", "h100-sxm-80gb", "l40s"}) {
    const auto prompts = node("llama-3.1-8b", card, "vllm-0.19") + clients(64, 128, 2000, 1);
    const auto rate = [&](const char* format) {
      return *estimate(prompts + option("weight_dtype", format)).throughput.total_tokens_per_s;
    };
    INFO(card);
    CHECK(rate("int4-awq") <= rate("bf16") * 1.03);
    CHECK(rate("int8") <= rate("bf16") * 1.03);
  }
}

TEST_CASE("S23: the same model by tensor parallelism decodes at 29 to 40 tok/s") {
  // Measured 34.5 with MLC, which is not among the engines.
  const double rate =
      decode_rate(node("llama-2-70b", "rtx-4090", "vllm-0.19") + split("tensor_parallel", 2) +
                  option("weight_dtype", "int4-awq") + clients(1, 2, 1, 256));
  say("S23", rate, 34.5);
  CHECK(rate > 29);
  CHECK(rate < 40);
}

TEST_CASE("S04 (miss): 8 RTX 4090 for 4 give 0.7 times the tokens, measured 1.01 times") {
  const double four = output_rate_of_14b(4);
  const double eight = output_rate_of_14b(8);
  say("S04 4 cards tok/s", four, 995.2);
  say("S04 8 cards tok/s", eight, 1014.9);
  say("S04 ratio", eight / four, 1.01);
  CHECK(four == Approx(995.2).epsilon(0.15));
  // What holds: doubling the cards brings no gain. It costs too much: what is left of a staged copy
  // across sockets comes from three other hosts, 0.3 to 1.0 of the rate within one.
  CHECK(eight / four < 1.12);
  CHECK(eight / four > 0.5);
}
