// Two logged runs replayed request by request: arrivals, lengths and shared prefixes as they were.
#include <iostream>

#include "measured_run.hpp"
#include "support/catch.hpp"
#include "support/estimate.hpp"
#include <fmt/format.h>

using namespace gpucap;
using namespace gpucap::test;

namespace {

Options replay(const MeasuredRun& run, const std::string& gpu, int max_num_seqs) {
  return node("llama-3.1-8b", gpu, "vllm-0.19") +
         Options{{"/workload/trace/file", run.trace.string()},
                 {"/workload/trace/format", "mooncake"},
                 {"/workload/trace/block_tokens", "16"}} +
         option("max_model_len", "32768") + option("max_num_batched_tokens", "2048") +
         option("max_num_seqs", std::to_string(max_num_seqs));
}

Options replay_4090(const MeasuredRun& run) {
  return replay(run, "rtx-4090", 256);
}

}  // namespace

TEST_CASE("300 requests on an RTX 4090: makespan and means within 3 % of the measured run") {
  const auto measured = measured_run("rtx4090");
  if (!measured) return;
  REQUIRE(measured->requests.size() == 300);
  Latencies requests;
  const auto outcome =
      estimate(replay_4090(*measured) + option("kv_cache_tokens", "41408"), {&requests});
  const double worst = compare("RTX 4090, measured pool of 41,408 tokens", *measured, outcome);
  CHECK(*outcome.throughput.makespan_s == Approx(183.57).epsilon(0.03));
  CHECK(*outcome.ttft_s.mean == Approx(65.46).epsilon(0.03));
  CHECK(*outcome.tpot_s.mean == Approx(32.45e-3).epsilon(0.03));
  CHECK(*outcome.e2e_s.mean == Approx(86.58).epsilon(0.03));
  // A first run was within 0.9 % on all 15 and 3.4, 1.5 and 0.8 % per request; run-to-run noise of
  // such servers is 1 to 3 %. A change that passes these bounds lost something.
  CHECK(worst < 2);
  const RequestErrors errors = compare_requests(*measured, requests);
  CHECK(errors.ttft < 6);
  CHECK(errors.tpot < 3);
  CHECK(errors.e2e < 2);
}

TEST_CASE("with the pool that is predicted the first token comes earlier and decoding is slower") {
  const auto measured = measured_run("rtx4090");
  if (!measured) return;
  const auto given = estimate(replay_4090(*measured) + option("kv_cache_tokens", "41408"));
  const auto blind = estimate(replay_4090(*measured));
  std::cout << fmt::format("KV pool: measured 41408 tokens, predicted {} ({:+.1f} %)\n",
                           blind.memory.kv_cache_tokens,
                           error_percent(static_cast<double>(blind.memory.kv_cache_tokens), 41408));
  compare("RTX 4090, predicted pool", *measured, blind);
  // More requests run at once: the queue is shorter, each step longer.
  REQUIRE(blind.memory.kv_cache_tokens > 41408);
  CHECK(*blind.ttft_s.mean < *given.ttft_s.mean);
  CHECK(*blind.tpot_s.mean > *given.tpot_s.mean);
  CHECK(*blind.throughput.makespan_s < *given.throughput.makespan_s);
}

TEST_CASE("300 requests on an RTX PRO 6000: every statistic within 12 % of the measured run") {
  const auto measured = measured_run("rtxpro6000");
  if (!measured) return;
  Latencies requests;
  const auto outcome = estimate(replay(*measured, "rtx-pro-6000-server", 128), {&requests});
  const double worst = compare("RTX PRO 6000, 128 sequences", *measured, outcome);
  const RequestErrors errors = compare_requests(*measured, requests);
  // The pool is never full, so steps alone decide. 5 % of step time is about 12 % of TTFT here
  // (waves of 128 sequences), and the host gap is shared with the RTX 4090, which costs about 2 %.
  CHECK(worst < 12);
  CHECK(*outcome.throughput.makespan_s == Approx(measured->makespan_s).epsilon(0.05));
  CHECK(*outcome.tpot_s.mean == Approx(*measured->tpot().mean).epsilon(0.05));
  CHECK(errors.tpot < 5);
  CHECK(errors.e2e < 6);
}

TEST_CASE("S09: 300 requests in 29 s wait 65 s for blocks, at most about 49 run at once") {
  const auto measured = measured_run("rtx4090");
  if (!measured) return;
  const auto outcome = estimate(replay_4090(*measured) + option("kv_cache_tokens", "41408"));
  CHECK(*outcome.queue_s.mean > 55);
  CHECK(*outcome.queue_s.mean < 75);
  CHECK(outcome.bottleneck == record::Cause::kv_cache);
  CHECK(*outcome.throughput.output_tokens_per_s == Approx(1066).epsilon(0.03));
  // Blind, from the predicted pool: within 30 %.
  CHECK(*estimate(replay_4090(*measured)).queue_s.mean == Approx(65.2).epsilon(0.3));
  double most = 0;
  for (const auto& bucket : outcome.timelines.at(0).buckets()) {
    most = std::max(
        most, as_seconds(bucket.running_time) / as_seconds(outcome.timelines[0].bucket_width()));
  }
  std::cout << fmt::format(
      "S09: on average {:.1f} run in the fullest second, measured 49 at most\n", most);
  CHECK(most == Approx(49).epsilon(0.1));
}

TEST_CASE("S10: 54,400 tokens of KV for 41,408 bring TTFT -20.7 %, TPOT +12.9 %, E2E -12.5 %") {
  const auto measured = measured_run("rtx4090");
  if (!measured) return;
  const auto outcome = estimate(replay_4090(*measured) + option("kv_cache_tokens", "54400"));
  const double ttft = error_percent(*outcome.ttft_s.mean, *measured->ttft().mean);
  const double tpot = error_percent(*outcome.tpot_s.mean, *measured->tpot().mean);
  const double e2e = error_percent(*outcome.e2e_s.mean, *measured->e2e().mean);
  std::cout << fmt::format("S10: TTFT {:+.1f} %, TPOT {:+.1f} %, E2E {:+.1f} %\n", ttft, tpot, e2e);
  CHECK(ttft > -26);
  CHECK(ttft < -15);
  CHECK(tpot == Approx(12.9).epsilon(0.25));
  CHECK(e2e == Approx(-12.5).epsilon(0.25));
}
