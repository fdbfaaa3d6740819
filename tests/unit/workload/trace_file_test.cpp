// A trace that is read once and replayed must not be told from one that is opened again.
#include "gpucap/workload/trace_file.hpp"

#include "gpucap/core/sha256.hpp"

#include "support/catch.hpp"
#include "trace_files.hpp"

using namespace gpucap;
using namespace gpucap::workload;

namespace {

const std::string header = "arrival_s,prompt_tokens,output_tokens\n";

bool same(const std::vector<Request>& a, const std::vector<Request>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const auto& x, const auto& y) {
    return x.id == y.id && x.arrival == y.arrival && x.prompt_tokens == y.prompt_tokens &&
           x.output_tokens == y.output_tokens && x.prompt_blocks == y.prompt_blocks;
  });
}

bool replays_as_opened(const std::string& name, const std::string& text, TraceOptions options) {
  const TemporaryFile file(name, text);
  const TraceFile trace(file.path(), options);
  for (const double rate_scale : {1.0, 3.0, 1.0}) {
    options.rate_scale = rate_scale;
    const auto requests = trace.open(rate_scale);
    const auto opened = open_trace(file.path(), options);
    if (!same(all_of(*requests), all_of(*opened))) return false;
    if (requests->block_tokens() != opened->block_tokens()) return false;
    if (requests->dropped() != opened->dropped()) return false;
  }
  return trace.sha256() == sha256_hex(text);
}

std::string fault_at(const TraceFile& trace, double rate_scale) {
  try {
    trace.check(rate_scale);
    return "";
  } catch (const InputError& error) {
    return error.problems()[0].code;
  }
}

}  // namespace

TEST_CASE("a replay has the requests of the file, kept or read again, and the hash of all of it") {
  const std::string rows = header + "0.5,10,1\n1.25,0,4\n1.25,32,2\n7.000000001,5,3\n";
  CHECK(replays_as_opened("gpucap_file_kept", rows, {}));
  // The hash is of the rows beyond the limit, too.
  CHECK(replays_as_opened("gpucap_file_limit", rows, {.limit = 1}));
  const std::string blocks = "arrival_s,prompt_tokens,output_tokens,prompt_blocks\n";
  CHECK(replays_as_opened("gpucap_file_blocks", blocks + "0,5,1,\n1,32,1,7 8\n2,5,1,\n", {}));
  CHECK(replays_as_opened("gpucap_file_json",
                          R"({"timestamp": 3, "input_length": 1, "output_length": 1})",
                          {.format = TraceFormat::mooncake}));
  // 2^20 requests are kept, one more is not.
  std::string many = header;
  for (int i = 0; i <= 1 << 20; ++i) many += "0,1,1\n";
  CHECK(replays_as_opened("gpucap_file_many", many, {}));
}

TEST_CASE("a fault waits for the check, a folder or missing file does not") {
  const TemporaryFile broken("gpucap_file_broken", header + "0,5,1\n1,x,1\n");
  const TraceFile trace(broken.path(), {});
  CHECK(trace.block_tokens() == 0);  // the first row is good
  CHECK(fault_at(trace, 1) == "not-a-count");
  CHECK_THROWS_AS(trace.open(1), InputError);
  const TemporaryFile first("gpucap_file_first", header + "x,5,1\n");
  CHECK_THROWS_AS(TraceFile(first.path(), {}).block_tokens(), InputError);
  CHECK_THROWS_AS(TraceFile("/no/such/trace.csv", {}), InputError);
}

TEST_CASE("the check finds the arrival that a slow replay puts beyond the clock") {
  // 10 s at 1e-9 of the rate are 1e10 s; 9e9 s can be simulated.
  const TemporaryFile file("gpucap_file_late", header + "0,5,1\n10,5,1\n");
  const TraceFile trace(file.path(), {});
  CHECK(fault_at(trace, 1e-8).empty());
  CHECK(fault_at(trace, 1e-9) == "out-of-range");
}
