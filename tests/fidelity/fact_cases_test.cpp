// Facts that users asked for and that stand in no unit test; ids as in the list of open cases.
#include "gpucap/metrics/latency.hpp"
#include "gpucap/perf/kernel.hpp"
#include "gpucap/plan/collective.hpp"
#include "gpucap/report/cell.hpp"

#include <iostream>

#include "measured_run.hpp"
#include "support/catch.hpp"
#include "support/estimate.hpp"
#include <fmt/format.h>

using namespace gpucap;
using namespace gpucap::test;

TEST_CASE("I02: six RTX 4090 with peer-to-peer reduce 32 MiB at 22 to 27 GB/s") {
  const hardware::Host* host = library().hosts().find("pcie4-p2p");
  const hardware::Gpu* gpu = library().gpus().find("rtx-4090");
  REQUIRE(host != nullptr);
  REQUIRE(gpu != nullptr);
  const auto fit = plan::collective_on(library().calibration(*gpu), *host,
                                       hardware::Collective::all_reduce, 6, "");
  const Bytes message = 32 * unit::MiB;
  const Seconds time = perf::all_reduce(fit, message).time();
  const double bus = 2.0 * 5 / 6 * (message / time).in(unit::GB_per_s);
  std::cout << fmt::format("I02: {:.1f} GB/s and {:.2f} ms, measured 24.5 GB/s and 2.28 ms\n", bus,
                           time.in(unit::ms));
  // Four and five such cards are fitted, these six are not. The start makes a tenth of the time.
  CHECK(bus > 22);
  CHECK(bus < 27);
}

TEST_CASE("I03: two stock RTX 4090 have neither NVLink nor peer-to-peer and go through the host") {
  const hardware::Gpu* gpu = library().gpus().find("rtx-4090");
  REQUIRE(gpu != nullptr);
  CHECK_FALSE(gpu->nvlink.has_value());
  CHECK(gpu->peer_to_peer == hardware::PeerToPeer::no);
  CHECK(library().hosts().default_host(*gpu, 2).host->link ==
        hardware::LinkKind::pcie_through_host);
}

TEST_CASE("P14: 10,251,184,259 tokens are added up and printed as such") {
  metrics::LatencyMetrics latency;
  record::RequestRow row;
  row.finished = row.first_token = row.scheduled = {1};
  row.output_tokens = 1;
  for (const std::int64_t tokens : {5'125'592'129, 5'125'592'130}) {
    row.prompt_tokens = tokens;
    latency.finished(row);
  }
  CHECK(latency.counts().input_tokens == 10'251'184'259);
  CHECK(report::shown(report::Cell(latency.counts().input_tokens), report::Shown::count) ==
        "10,251,184,259");
}

TEST_CASE("P13: a card is found by the memory that it reports, 24,564 MiB and not 24 GB") {
  const hardware::Gpu* gpu = library().gpus().find("rtx-4090");
  REQUIRE(gpu != nullptr);
  CHECK(gpu->memory_total.in(unit::MiB) == Approx(24564));
  CHECK((24 * unit::GB).in(unit::MiB) == Approx(22888).margin(1));
}

TEST_CASE("Q06: p99 of 10, 20, 30 is 30 and p95 of 1, 2 is 2, by nearest rank") {
  CHECK(*summarize({10, 20, 30}).p99 == 30);
  CHECK(*summarize({1, 2}).p95 == 2);
}

TEST_CASE("P18: a 27B hybrid in Q4_K_M with 65,536 tokens of 8-bit KV takes 16.7 to 18.9 GiB") {
  // 16 of 64 layers attend: 65,536 x 16 x 2 x 4 heads x 256 B = 2 GiB.
  const auto plan =
      case_of(scenario_of(node("qwen3.6-27b", "a40", "llama-cpp") +
                          option("weight_dtype", "q4_k_m") + option("kv_dtype", "fp8") +
                          option("kv_cache_memory", "2 GiB") + clients(1, 1, 100, 10)))
          .plan;
  const auto& f = plan.footprint;
  const double total = (f.weights + f.kv_cache + f.activations + f.other).in(unit::GiB);
  std::cout << fmt::format("P18: {:.1f} GiB, measured 17.6\n", total);
  CHECK(models::kv_bytes_per_token(plan.question.model, Dtype::fp8, 1) * 65536 ==
        2LL * 1024 * 1024 * 1024);
  CHECK(total > 16.7);
  CHECK(total < 18.9);
}

TEST_CASE("an encoder answers 512-token requests in one pass and needs no KV cache") {
  for (const char* model : {"bge-large-en-v1.5", "bge-reranker-v2-m3", "bert-base"}) {
    INFO(model);
    const auto outcome = estimate(node(model, "l40s", "vllm-0.19") +
                                  Options{{"/workload/prompt_tokens", "512"},
                                          {"/workload/output_tokens", "0"},
                                          {"/workload/requests", "200"},
                                          {"/workload/arrivals/kind", "closed-loop"},
                                          {"/workload/arrivals/clients", "16"}});
    REQUIRE(outcome.feasible);
    CHECK(outcome.requests.finished == 200);
    CHECK(outcome.output_tokens == 0);
    CHECK(*outcome.ttft_s.mean == *outcome.e2e_s.mean);
  }
}
