#include "gpucap/workload/generator.hpp"
#include "gpucap/workload/inspect.hpp"

#include "support/catch.hpp"
#include "trace_files.hpp"

using namespace gpucap;
using namespace gpucap::workload;

namespace {

const std::filesystem::path folder = std::filesystem::path(GPUCAP_SOURCE_DIR) / "scenarios/traces";

LengthDistribution percentiles(const char* file) {
  return *parse_lengths("empirical:" + (folder / file).string());
}

/// How azure-conv-like.csv was made; scenarios/traces/README.md tells the same in words.
GeneratorSpec azure_conv_like() {
  return {.seed = 20231116,
          .requests = 3000,
          .arrivals = *Arrivals::gamma(5.53 * unit::per_s, 0.835),
          .prompt_tokens = percentiles("azure-conv-2023-prompt-percentiles.csv"),
          .output_tokens = percentiles("azure-conv-2023-output-percentiles.csv")};
}

/// How shared-prefix.jsonl was made.
GeneratorSpec shared_prefix() {
  return {.seed = 2025,
          .requests = 400,
          .arrivals = *Arrivals::poisson(2 * unit::per_s),
          .prompt_tokens = *parse_lengths("lognormal:mean=6000,p95=14000"),
          .output_tokens = *parse_lengths("lognormal:mean=340,p95=800"),
          .shared_prefix = SharedPrefix{.tokens = 2048, .block_tokens = 512, .groups = 4}};
}

/// The shipped file holds the requests of the spec; times may differ by the last bit of a
/// mathematical library, so by less than a microsecond.
void check_made_by(const GeneratorSpec& spec, const char* file, TraceFormat format) {
  const auto expected = all_of(*generate(spec).requests);
  const auto shipped = read_all(folder / file, {.format = format});
  REQUIRE(shipped.size() == expected.size());
  for (std::size_t i = 0; i < shipped.size(); ++i) {
    REQUIRE(std::abs(shipped[i].arrival.ns - expected[i].arrival.ns) < 1000);
    REQUIRE(shipped[i].prompt_tokens == expected[i].prompt_tokens);
    REQUIRE(shipped[i].output_tokens == expected[i].output_tokens);
    REQUIRE(shipped[i].prompt_blocks == expected[i].prompt_blocks);
  }
}

}  // namespace

TEST_CASE("the shipped traces are what the generator makes of their seeds") {
  check_made_by(azure_conv_like(), "azure-conv-like.csv", TraceFormat::gpucap);
  check_made_by(shared_prefix(), "shared-prefix.jsonl", TraceFormat::mooncake);
}

TEST_CASE("the shipped conversation trace has the statistics of the published one") {
  const TraceSummary seen = inspect(*open_trace(folder / "azure-conv-like.csv", {}));
  CHECK(seen.rows == 3000);
  // 19,366 requests in 3,501.7 s are 5.53 per second; n gaps of variation 1.094 know their rate to
  // 1.094 / sqrt(n) = 2 %, four of which are allowed.
  CHECK(seen.mean_rate->in(unit::per_s) == Approx(19365 / 3501.72).epsilon(4 * 0.02));
  CHECK(*seen.gap_variation == Approx(1.094).epsilon(4 * 0.02));
  // Published: mean 1,154.7 prompt and 211.1 output tokens, p50 1,020 and 129, p95 4,083 and 451.
  // Deviations of one request 1,109 and 163: standard errors of 20 and 3.
  CHECK(seen.prompt->mean == Approx(1154.7).margin(4 * 20));
  CHECK(seen.output->mean == Approx(211.1).margin(4 * 3));
  CHECK(seen.prompt->p50 == Approx(1020).epsilon(0.05));
  CHECK(seen.prompt->p95 == Approx(4083).epsilon(0.05));
  CHECK(seen.output->p50 == Approx(129).epsilon(0.1));
  CHECK(seen.output->p95 == Approx(451).epsilon(0.05));
}

TEST_CASE("the shipped shared prefix trace shares what its lengths allow") {
  const TraceSummary seen =
      inspect(*open_trace(folder / "shared-prefix.jsonl", {.format = TraceFormat::mooncake}));
  CHECK(seen.rows == 400);
  // All but the first prompt of each of 4 texts find up to 2,048 tokens: a third of 6,000, less
  // what prompts below 2,048 tokens cannot use.
  CHECK(*seen.shared_prefix_share > 0.25);
  CHECK(*seen.shared_prefix_share < 2048.0 / 6000);
}
