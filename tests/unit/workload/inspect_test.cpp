#include "gpucap/workload/inspect.hpp"

#include "support/catch.hpp"
#include "trace_files.hpp"

using namespace gpucap;
using namespace gpucap::workload;

namespace {

TraceSummary summary_of(std::string_view name, std::string_view content, TraceFormat format,
                        std::optional<std::int64_t> block_tokens = {}) {
  const TemporaryFile file(name, content);
  return inspect(*open_trace(file.path(), {.format = format, .block_tokens = block_tokens}));
}

}  // namespace

TEST_CASE("a summary counts, sums and ranks by hand") {
  const TraceSummary seen = summary_of("gpucap_inspect_sums.csv",
                                       "arrival_s,prompt_tokens,output_tokens\n"
                                       "1,10,1\n2,20,2\n2.5,99,0\n3,30,3\n7,40,4\n",
                                       TraceFormat::gpucap);
  CHECK(seen.rows == 4);
  CHECK(seen.dropped == 1);
  CHECK(seen.first_arrival == SimTime{1'000'000'000});
  CHECK(seen.span().in(unit::s) == Approx(6));
  // Three gaps in 6 s; gaps 1, 1, 4: mean 2, sample deviation sqrt(6 / 2) = 1.732.
  CHECK(seen.mean_rate->in(unit::per_s) == Approx(0.5));
  CHECK(*seen.gap_variation == Approx(1.7320508 / 2));
  // Nearest rank of 4: p50 is the 2nd, p95 and p99 the 4th.
  CHECK(seen.prompt->sum == 100);
  CHECK(seen.prompt->mean == 25);
  CHECK(seen.prompt->p50 == 20);
  CHECK(seen.prompt->p95 == 40);
  CHECK(seen.output->max == 4);
  CHECK_FALSE(seen.shared_prefix_share);
}

TEST_CASE("the shared prefix share counts tokens of known prefixes, not of known ids") {
  const TraceSummary seen =
      summary_of("gpucap_inspect_prefix.jsonl",
                 R"({"timestamp":0,"input_length":25,"output_length":1,"hash_ids":[1,2,3]}
{"timestamp":1,"input_length":25,"output_length":1,"hash_ids":[1,2,9]}
{"timestamp":2,"input_length":25,"output_length":1,"hash_ids":[8,2,3]}
{"timestamp":3,"input_length":25,"output_length":1,"hash_ids":[1,2,3]}
)",
                 TraceFormat::mooncake, 10);
  // Row 2 finds blocks 1, 2 (20 tokens); row 3 nothing: 2 and 3 follow another block; row 4 all 25
  // (its last block holds 5). 45 of 100.
  CHECK(*seen.shared_prefix_share == Approx(0.45));
}

TEST_CASE("what does not exist is absent") {
  const TraceSummary one =
      summary_of("gpucap_inspect_one.csv", "arrival_s,prompt_tokens,output_tokens\n5,10,1\n",
                 TraceFormat::gpucap);
  CHECK_FALSE(one.mean_rate);
  CHECK_FALSE(one.gap_variation);
  CHECK(one.last_arrival == SimTime{5'000'000'000});
}
