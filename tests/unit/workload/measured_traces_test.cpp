#include "gpucap/workload/inspect.hpp"

#include <iostream>

#include "support/catch.hpp"
#include "trace_files.hpp"

using namespace gpucap;
using namespace gpucap::workload;

namespace {

/// A published trace beside the repository; absent on most machines, which is said and no failure.
std::optional<std::filesystem::path> shared(const std::string& file) {
  const auto path = std::filesystem::path(GPUCAP_SOURCE_DIR) / "../shared/data" / file;
  if (std::filesystem::exists(path)) return path;
  std::cout << "skipped: " << file << " is not beside the repository\n";
  return std::nullopt;
}

TraceSummary summary_of(const std::filesystem::path& path, const TraceOptions& options) {
  return inspect(*open_trace(path, options));
}

}  // namespace

TEST_CASE("the Azure conversation trace of 2023 has its published size and means") {
  const auto path = shared("traces/azure_llm_2023/AzureLLMInferenceTrace_conv.csv.gz");
  if (!path) return;
  const TraceSummary seen = summary_of(*path, {.format = TraceFormat::azure});
  CHECK(seen.rows == 19366);
  CHECK(seen.dropped == 0);
  CHECK(seen.first_arrival == SimTime{0});
  // 18:15:46.6805900 to 19:14:08.4025270 is 58 min 21.7219370 s.
  CHECK(seen.last_arrival == SimTime{3'501'721'937'000});
  CHECK(seen.prompt->sum == 22'361'870);
  CHECK(seen.output->sum == 4'088'665);
  CHECK(seen.prompt->p50 == 1020);
  CHECK(seen.output->p50 == 129);
}

TEST_CASE("the Azure code trace of 2023 has its published size and means") {
  const auto path = shared("traces/azure_llm_2023/AzureLLMInferenceTrace_code.csv");
  if (!path) return;
  const TraceSummary seen = summary_of(*path, {.format = TraceFormat::azure});
  CHECK(seen.rows == 8819);
  CHECK(seen.first_arrival == SimTime{0});
  CHECK(seen.prompt->mean == Approx(2047.85).margin(0.005));
  CHECK(seen.output->mean == Approx(27.88).margin(0.005));
}

TEST_CASE("the Mooncake conversation trace is read with all its blocks") {
  const auto path = shared("traces/mooncake_fast25/conversation_trace.jsonl.gz");
  if (!path) return;
  const TraceSummary seen = summary_of(*path, {.format = TraceFormat::mooncake});
  CHECK(seen.rows == 12031);
  CHECK(seen.last_arrival == SimTime{3'536'999'000'000});
  CHECK(*seen.shared_prefix_share > 0);
}

TEST_CASE("the logged 300-request runs share 7.6 % of their prompt tokens in blocks of 16") {
  for (const std::string card : {"rtx4090", "rtxpro6000"}) {
    const auto path = shared("measured/serving/llmservingsim_" + card + "_llama-31-8b_trace.jsonl");
    if (!path) return;
    const TraceSummary seen =
        summary_of(*path, {.format = TraceFormat::mooncake, .block_tokens = 16});
    CHECK(seen.rows == 300);
    CHECK(seen.prompt->sum == 257'239);
    CHECK(*seen.shared_prefix_share == Approx(0.076).margin(0.0005));
    // Its ids do not fit blocks of 512, which is an error and not a wrong hit rate.
    CHECK(complaint(*path, {.format = TraceFormat::mooncake}).find("is the block size right?") !=
          std::string::npos);
  }
}
