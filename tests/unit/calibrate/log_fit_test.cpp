#include "gpucap/calibrate/log_fit.hpp"

#include "gpucap/calibrate/log_parts.hpp"
#include "gpucap/calibrate/served_run.hpp"

#include <algorithm>
#include <functional>
#include <string>

#include "support/catch.hpp"
#include "written_file.hpp"
#include <fmt/format.h>

namespace {

using namespace gpucap;
using namespace gpucap::calibrate;
using gpucap::test::WrittenFile;

scenario::Library& library() {
  static scenario::Library shipped(GPUCAP_SOURCE_DIR);
  return shipped;
}

LogSetup setup() {
  LogSetup setup;
  setup.options = {{"gpu", "rtx-4090"}, {"engine", "vllm-0.8.5"}};
  return setup;
}

/// A run of equal requests by so many clients: nothing in it is drawn.
ServedRun asked(int clients, int prompt = 512, int output = 64) {
  ServedRun run;
  run.name = fmt::format("{} clients", clients);
  run.model = "meta-llama/Meta-Llama-3-8B-Instruct";
  run.completed = 4 * clients;
  run.input_tokens = run.completed * prompt;
  run.output_tokens = run.completed * output;
  run.duration = 1 * unit::s;
  run.request_rate = INFINITY * unit::per_s;
  run.clients = clients;
  return run;
}

/// The log that vLLM's benchmark would have written of that run in a world with other numbers.
ServedRun logged(const ServedRun& run, const std::function<void(plan::ServingQuestion&)>& world) {
  const LoggedCase planned = plan_logged(run, setup(), library());
  plan::ServingQuestion question = planned.planned.plan.question;
  world(question);
  const auto out = repeat(planned, plan::plan_serving(std::move(question)), 0);
  const WrittenFile file(
      fmt::format("{{\"model_id\": \"{}\", \"request_rate\": \"inf\", \"max_concurrency\": {}, "
                  "\"num_prompts\": {}, \"completed\": {}, \"duration\": {}, "
                  "\"total_input_tokens\": {}, \"total_output_tokens\": {}, "
                  "\"mean_ttft_ms\": {}, \"median_ttft_ms\": {}, \"mean_tpot_ms\": {}, "
                  "\"median_tpot_ms\": {}, \"output_throughput\": {}}}",
                  run.model, *run.clients, run.completed, run.completed, *out.throughput.makespan_s,
                  run.input_tokens, run.output_tokens, 1e3 * *out.ttft_s.mean,
                  1e3 * *out.ttft_s.p50, 1e3 * *out.tpot_s.mean, 1e3 * *out.tpot_s.p50,
                  *out.throughput.output_tokens_per_s),
      "run.json");
  return read_vllm_bench(file.path()).at(0);
}

LogFit fitted(const std::vector<ServedRun>& runs) {
  std::vector<LoggedCase> cases;
  for (const ServedRun& run : runs) cases.push_back(plan_logged(run, setup(), library()));
  std::vector<std::string> left;
  return fit_logs(cases, sought_in(cases.front(), left));
}

const LogResult& result(const LogFit& fit, const std::string& key) {
  return *std::find_if(fit.results.begin(), fit.results.end(),
                       [&](const LogResult& one) { return one.key == key; });
}

/// Bandwidth 12 % lower, 100 us of host time a step and sequence, 12 ms before a request is seen.
void slower_world(plan::ServingQuestion& question) {
  question.calibration.gemm.eb *= 0.88;
  question.calibration.decode.eb *= 0.88;
  question.calibration.prefill.eb *= 0.88;
  if (question.calibration.mixed) question.calibration.mixed->eb *= 0.88;
  question.engine.profile.host.gap_per_sequence = 100 * unit::us;
  question.engine.profile.host.front_end = 12 * unit::ms;
}

}  // namespace

TEST_CASE("Runs from one to many clients give bandwidth and host times of their world back") {
  std::vector<ServedRun> runs;
  for (const int clients : {1, 2, 8, 32, 128}) {
    runs.push_back(logged(asked(clients, 128, 64), slower_world));
  }
  const LogFit fit = fitted(runs);
  REQUIRE(result(fit, "eb").identified);
  CHECK(result(fit, "eb").after / result(fit, "eb").before == Approx(0.88).epsilon(0.03));
  REQUIRE(result(fit, "gap_per_sequence").identified);
  CHECK(result(fit, "gap_per_sequence").after == Approx(100).epsilon(0.15));
  REQUIRE(result(fit, "front_end").identified);
  CHECK(result(fit, "front_end").after == Approx(12).epsilon(0.15));
  for (const LogError& one : fit.errors) {
    INFO(one.run << " " << one.metric << " " << one.statistic);
    CHECK(std::fabs(one.after / one.measured - 1) < 0.04);
  }
}

TEST_CASE("One client cannot tell a step's host time from its reading: the host time is left") {
  // 20 ms a step, of which 0.7 are the gap: a factor of two on it is 3.5 %, 12 % of eb are 11 %.
  const LogFit fit = fitted({logged(asked(1), slower_world)});
  CHECK(result(fit, "eb").identified);
  CHECK_FALSE(result(fit, "gap").identified);
  CHECK(result(fit, "gap").after == result(fit, "gap").before);
  CHECK(fit.profile.host.gap == 0.7 * unit::ms);
}

TEST_CASE("Logs of the world as it is known change nothing that matters") {
  std::vector<ServedRun> runs;
  for (const int clients : {1, 8, 64}) runs.push_back(logged(asked(clients), [](auto&) {}));
  const LogFit fit = fitted(runs);
  for (const LogResult& one : fit.results) {
    INFO(one.key);
    CHECK(one.after == Approx(one.before).epsilon(0.01));
  }
}

TEST_CASE("Equal logs give equal bytes") {
  const auto text = [] {
    const LogFit fit = fitted({logged(asked(1), slower_world), logged(asked(16), slower_world)});
    return calibration_json(
        calibration_of(fit, *library().gpu("rtx-4090"), "vllm-bench logs", "2 runs", "2026-01-02"));
  };
  const std::string first = text();
  CHECK(first == text());
  CHECK(first.find("\"format\": \"gpucap-calibration/1\"") != std::string::npos);
}

TEST_CASE("A log's model is known by its repository's name, without what a tuning adds") {
  const auto& models = library().models();
  CHECK(model_id_of("meta-llama/Meta-Llama-3-8B-Instruct", models) == "llama-3-8b");
  CHECK(model_id_of("/srv/models/Qwen/Qwen2.5-7B-Instruct", models) == "qwen2.5-7b");
  CHECK(model_id_of("meta-llama/Llama-2-7b-chat-hf", models) == "llama-2-7b");
  CHECK(model_id_of("mistralai/Mistral-7B-Instruct-v0.2", models) == "mistral-7b");
  // A quantised checkpoint has other bytes: never guessed.
  CHECK(model_id_of("Qwen/Qwen2.5-7B-Instruct-AWQ", models).empty());
}

TEST_CASE("A token faster than reading the weights, or more tokens than the peak, is impossible") {
  // 8.03e9 parameters less the embedding, 15 GB: 14.9 ms at 1,008 GB/s.
  ServedRun run = asked(1);
  run.duration = 10 * unit::s;
  run.figures = {{"tpot", "p50", 0.0139}, {"tpot", "mean", 0.0160}};
  auto problems = impossible(plan_logged(run, setup(), library()));
  REQUIRE(problems.size() == 1);
  CHECK(problems[0].message.find("13.9 ms per token") != std::string::npos);
  // 165.2 TFLOP/s over 15 GFLOP: 11,000 tokens a second; these are 4 x 576 in 0.1 s.
  run.figures.clear();
  run.duration = 0.1 * unit::s;
  problems = impossible(plan_logged(run, setup(), library()));
  REQUIRE(problems.size() == 1);
  CHECK(problems[0].message.find("23040 tokens per second") != std::string::npos);
}
