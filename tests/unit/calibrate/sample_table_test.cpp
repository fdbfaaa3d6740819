#include "gpucap/calibrate/sample_table.hpp"

#include "gpucap/calibrate/sample.hpp"

#include <cmath>

#include "support/catch.hpp"
#include "written_file.hpp"

using namespace gpucap;
using namespace gpucap::calibrate;
using test::WrittenFile;

namespace {

std::vector<Problem> problems_of(const std::string& content) {
  const WrittenFile file(content);
  try {
    SampleTable table = SampleTable::read(file.path());
    Refusals refused;
    gemm_samples(table, {}, refused);
  } catch (const InputError& error) {
    return error.problems();
  }
  return {};
}

}  // namespace

TEST_CASE("columns are found by name, comments and quotes are understood") {
  const WrittenFile file(
      "# measured on a toy\r\n"
      "time_us,impl,k,n,m\r\n"
      "12.5,\"ring, two nodes\",30,20,10\r\n"
      "# half way\r\n"
      "\r\n"
      "13,plain,3,2,1\r\n");
  SampleTable table = SampleTable::read(file.path());
  CHECK(table.kind() == TableKind::gemm);
  REQUIRE(table.rows() == 2);
  CHECK(table.text(0, "impl") == "ring, two nodes");
  Refusals refused;
  const auto samples = gemm_samples(table, {}, refused);
  REQUIRE(samples.size() == 2);
  CHECK(samples[0].shape.m == 10);
  CHECK(samples[0].measured.time.in(unit::us) == Approx(12.5));
  CHECK(samples[0].measured.key.shape == std::vector<std::int64_t>{20, 30});
}

TEST_CASE("the spread of repeats is half the logarithm of slowest over fastest") {
  // ln(4 / 1) / 2 = ln 2.
  const WrittenFile file("m,n,k,time_us,time_min_us,time_max_us\n1,1,1,2,1,4\n");
  SampleTable table = SampleTable::read(file.path());
  Refusals refused;
  CHECK(gemm_samples(table, {}, refused)[0].measured.log_spread == Approx(std::log(2.0)));
}

TEST_CASE("a cell that is no number is told with line and column") {
  const auto problems = problems_of("# head\nm,n,k,time_us\n1,2,3,4\n1,two,3,4\n1,2,3,fast\n");
  REQUIRE(problems.size() == 2);
  CHECK(problems[0].position == "4:3");
  CHECK(problems[0].pointer == "n");
  CHECK(problems[1].position == "5:7");
  CHECK(problems[1].pointer == "time_us");
  CHECK(problems[1].code == "not-a-number");
}

TEST_CASE("a missing column is told with the nearest one that is there") {
  const auto problems = problems_of("m,n,k,time_ms\n1,2,3,4\n");
  REQUIRE(problems.size() == 1);
  CHECK(problems[0].code == "missing-column");
  CHECK(problems[0].pointer == "time_us");
  CHECK(problems[0].message.find("\"time_ms\"") != std::string::npos);
}

TEST_CASE("a row of another length than the header is told with its line") {
  const auto problems = problems_of("m,n,k,time_us\n1,2,3\n");
  REQUIRE(problems.size() == 1);
  CHECK(problems[0].position == "2:1");
  CHECK(problems[0].code == "field-count");
}

TEST_CASE("an empty table is refused") {
  CHECK(problems_of("# nothing\n").at(0).code == "empty-table");
}

TEST_CASE("a time of zero is refused and counted") {
  const WrittenFile file("m,n,k,time_us\n1,2,3,0\n1,2,3,-4\n1,2,3,5\n");
  SampleTable table = SampleTable::read(file.path());
  Refusals refused;
  CHECK(gemm_samples(table, {}, refused).size() == 1);
  CHECK(refused == Refusals{{"time not above zero", 2}});
}

TEST_CASE("a column that a plan states stands in every row") {
  const WrittenFile file("prefill_chunk,kv_prefill,n_decode,kv_decode,time_us\n16,32,4,64,9\n");
  SampleTable table =
      SampleTable::read(file.path(), {{"heads", "32"}, {"kv_heads", "8"}, {"head_dim", "128"}});
  Refusals refused;
  const auto samples = mixed_samples(table, {}, refused);
  REQUIRE(samples.size() == 1);
  CHECK(samples[0].shape.heads == 32);
  // 2 x 8 heads x 128 x 2 bytes.
  CHECK(samples[0].shape.kv_bytes_per_token == 4096);
  // The chunk's KV holds the chunk itself.
  CHECK(samples[0].chunks.at(0).kv == 48);
  CHECK(samples[0].decodes.sum_context == 256);
}

TEST_CASE("a launch of a mixed table without decodes is a prefill, without chunk a decode") {
  const WrittenFile file(
      "prefill_chunk,kv_prefill,n_decode,kv_decode,heads,kv_heads,head_dim,time_us\n"
      "16,0,0,0,4,2,64,9\n0,0,3,100,4,2,64,9\n16,0,3,100,4,2,64,9\n");
  SampleTable table = SampleTable::read(file.path());
  Refusals refused;
  CHECK(prefill_samples(table, {}, refused).size() == 1);
  CHECK(decode_samples(table, {}, refused).size() == 1);
  CHECK(mixed_samples(table, {}, refused).size() == 1);
}
