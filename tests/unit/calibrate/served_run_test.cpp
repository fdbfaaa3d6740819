#include "gpucap/calibrate/served_run.hpp"

#include <cmath>
#include <string>

#include "support/catch.hpp"
#include "written_file.hpp"

namespace {

using namespace gpucap;
using gpucap::calibrate::read_vllm_bench;
using gpucap::calibrate::ServedRun;
using gpucap::test::WrittenFile;

// 100 requests in 50 s: 2 per second; 20,000 answer tokens: 400 per second.
const std::string counts =
    "\"duration\": 50.0, \"completed\": 100, \"total_input_tokens\": 102400, "
    "\"total_output_tokens\": 20000, \"num_prompts\": 100, \"output_throughput\": 400.0, "
    "\"mean_ttft_ms\": 60.0, \"median_ttft_ms\": 55.0, \"p99_ttft_ms\": 90.0, "
    "\"mean_tpot_ms\": 20.5, \"median_tpot_ms\": 20.0, \"p99_tpot_ms\": 25.0";

ServedRun only(const std::string& text, const std::string& name = "run.json") {
  const WrittenFile file(text, name);
  const auto runs = read_vllm_bench(file.path());
  REQUIRE(runs.size() == 1);
  return runs.front();
}

std::string first_problem(const std::string& text, const std::string& name = "run.json") {
  const WrittenFile file(text, name);
  try {
    read_vllm_bench(file.path());
  } catch (const InputError& error) {
    return error.problems().front().line();
  }
  return "no problem";
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

const std::string block =
    "============ Serving Benchmark Result ============\n"
    "Successful requests:                     100       \n"
    "Benchmark duration (s):                  50.00     \n"
    "Total input tokens:                      102400    \n"
    "Total generated tokens:                  20000     \n"
    "Request throughput (req/s):              2.00      \n"
    "Output token throughput (tok/s):         400.00    \n"
    "Total Token throughput (tok/s):          2448.00   \n"
    "---------------Time to First Token----------------\n"
    "Mean TTFT (ms):                          60.00     \n"
    "Median TTFT (ms):                        55.00     \n"
    "P99 TTFT (ms):                           90.00     \n"
    "==================================================\n";

}  // namespace

TEST_CASE("A result of benchmark_serving.py has its rate, its model and its day") {
  const ServedRun run = only(
      "{\"date\": \"20240607-101112\", \"backend\": \"vllm\", "
      "\"model_id\": \"meta-llama/Llama-2-7b-hf\", \"best_of\": 1, "
      "\"use_beam_search\": false, \"request_rate\": 4.0, " +
      counts + "}");
  CHECK(run.date == "2024-06-07");
  CHECK(run.model == "meta-llama/Llama-2-7b-hf");
  CHECK(run.request_rate->in(unit::per_s) == 4);
  CHECK(run.figure("ttft", "p50")->value == Approx(0.055));
  CHECK(run.figure("throughput", "out tok/s")->value == 400);
  CHECK_FALSE(run.clients);
}

TEST_CASE("A result of vllm bench serve may say inf, null, failed and a client's limit") {
  const ServedRun run = only(
      "{\"date\": \"20251101-000000\", \"endpoint_type\": \"openai\", "
      "\"label\": null, \"request_rate\": \"inf\", \"burstiness\": 1.0, "
      "\"max_concurrency\": 16, \"failed\": 0, \"request_goodput\": null, "
      "\"mean_e2el_ms\": 4100.0, " +
      counts + "}");
  CHECK(std::isinf(run.request_rate->in(unit::per_s)));
  CHECK(run.clients == 16);
  CHECK(run.figure("e2e", "mean")->value == Approx(4.1));
}

TEST_CASE("Lengths of a detailed result stand request by request, without those that failed") {
  // The third request failed: no answer.
  const ServedRun run = only(
      "{\"request_rate\": 2.0, \"input_lens\": [10, 20, 30], \"output_lens\": [5, 6, 0], "
      "\"ttfts\": [0.1, 0.2, 0.0], \"itls\": [[0.01], [0.02], []], " +
      counts + "}");
  CHECK(run.prompt_lengths == std::vector<std::int64_t>{10, 20});
  CHECK(run.output_lengths == std::vector<std::int64_t>{5, 6});
}

TEST_CASE("Console text gives every block, with what the lines before it announce") {
  const WrittenFile file(
      "INFO starting\nTraffic request rate: 2.0\nBurstiness factor: 1.0\n"
      "Maximum request concurrency: None\n100%|#####| 100/100\n" +
          block + "INFO next\nTraffic request rate: inf\n" + block,
      "console.log");
  const auto runs = read_vllm_bench(file.path());
  REQUIRE(runs.size() == 2);
  CHECK(runs[0].request_rate->in(unit::per_s) == 2);
  CHECK(std::isinf(runs[1].request_rate->in(unit::per_s)));
  CHECK(runs[1].name == "console.log #2");
  CHECK(runs[0].completed == 100);
  CHECK(runs[0].figure("ttft", "mean")->value == Approx(0.06));
}

TEST_CASE("A block without a rate before it leaves the rate open, a newer block states it") {
  CHECK_FALSE(only(block, "a.log").request_rate);
  std::string newer = block;
  newer.insert(newer.find("Benchmark duration"), "Request rate configured (RPS):           8.00\n");
  CHECK(only(newer, "a.log").request_rate->in(unit::per_s) == 8);
}

TEST_CASE("The Namespace line of an old log names model, prompts and rate") {
  const ServedRun run = only(
      "Namespace(backend='vllm', model='Qwen/Qwen2.5-7B-Instruct', "
      "num_prompts=100, request_rate=inf, seed=0)\n" +
          block,
      "a.log");
  CHECK(run.model == "Qwen/Qwen2.5-7B-Instruct");
  CHECK(run.prompts == 100);
  CHECK(std::isinf(run.request_rate->in(unit::per_s)));
}

TEST_CASE("A block that no rule ends is cut off, a word that is no number has its column") {
  const std::string cut = block.substr(0, block.find("Median TTFT"));
  CHECK(has(first_problem(cut, "a.log"), "a.log:1:1: this result block is cut off"));
  std::string word = block;
  word.replace(word.find("60.00"), 5, "nan  ");
  CHECK(has(first_problem(word, "a.log"), "a.log:10:42: Mean TTFT (ms): \"nan\""));
}

TEST_CASE("NaN in JSON is told with its line, column and key") {
  CHECK(has(first_problem("{\n  \"mean_tpot_ms\": NaN,\n  \"duration\": 1}"),
            "run.json:2:19: /mean_tpot_ms: NaN is no measured value"));
  // In a text it is a text.
  CHECK(only("{\"label\": \"NaN Infinity \\\" NaN\", \"request_rate\": 1, " + counts + "}")
            .completed == 100);
}

TEST_CASE("Rates within 2 % of tokens over duration pass, others are told with both figures") {
  const auto with = [](const std::string& rate) {
    std::string text = "{\"request_rate\": 1, " + counts + "}";
    text.replace(text.find("400.0"), 5, rate);
    return text;
  };
  CHECK(only(with("407.9")).completed == 100);
  CHECK(has(first_problem(with("408.1")),
            "is 408.1 out tok/s, but 20000 output tokens in 50 s are 400: 2 % apart"));
}
