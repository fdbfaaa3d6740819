#include "gpucap/workload/trace.hpp"

#include "gpucap/workload/generator.hpp"

#include <sstream>

#include "compressed.hpp"
#include "support/catch.hpp"
#include "trace_files.hpp"
#include <boost/iostreams/filter/gzip.hpp>
#include <boost/iostreams/filter/zstd.hpp>

using namespace gpucap;
using namespace gpucap::workload;

namespace {

void require_same(const std::vector<Request>& a, const std::vector<Request>& b) {
  REQUIRE(a.size() == b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    REQUIRE(a[i].id == b[i].id);
    REQUIRE(a[i].arrival == b[i].arrival);
    REQUIRE(a[i].prompt_tokens == b[i].prompt_tokens);
    REQUIRE(a[i].output_tokens == b[i].output_tokens);
    REQUIRE(a[i].prompt_blocks == b[i].prompt_blocks);
  }
}

const std::string azure_rows =
    "TIMESTAMP,ContextTokens,GeneratedTokens\r\n"
    "2023-12-31 23:59:59.9999999,374,44\r\n"
    "2024-01-01 00:00:00.0000001,396,109\r\n"
    "2024-01-01 00:00:02,197,183";

}  // namespace

TEST_CASE("azure times are exact, relative to the first row and cross midnight") {
  const TemporaryFile file("gpucap_azure.csv", azure_rows);
  const auto requests = read_all(file.path(), {.format = TraceFormat::azure});
  REQUIRE(requests.size() == 3);
  CHECK(requests[0].arrival == SimTime{0});
  CHECK(requests[1].arrival == SimTime{200});
  CHECK(requests[2].arrival == SimTime{2'000'000'100});
  CHECK(requests[2].output_tokens == 183);
}

TEST_CASE("azure times may carry a zone") {
  const TemporaryFile file("gpucap_azure_zone.csv",
                           "TIMESTAMP,ContextTokens,GeneratedTokens\n"
                           "2024-05-10 00:00:00.009930+00:00,1,1\n"
                           "2024-05-10T02:00:01.009930+02:00,1,1\n");
  CHECK(read_all(file.path(), {.format = TraceFormat::azure})[1].arrival == SimTime{1'000'000'000});
}

TEST_CASE("line ends, a final newline, a byte order mark and compression make no difference") {
  std::string unix_rows;
  for (const char c : azure_rows) unix_rows += c == '\r' ? "" : std::string(1, c);
  const TemporaryFile dos("gpucap_same_dos.csv", azure_rows);
  const TemporaryFile lf("gpucap_same_lf.csv", "\xEF\xBB\xBF" + unix_rows + "\n\n");
  const TemporaryFile gz("gpucap_same_gz.csv",
                         compressed(azure_rows, boost::iostreams::gzip_compressor()));
  const TemporaryFile zst("gpucap_same_zst.csv",
                          compressed(azure_rows, boost::iostreams::zstd_compressor()));
  const TraceOptions azure{.format = TraceFormat::azure};
  const auto expected = read_all(dos.path(), azure);
  REQUIRE(expected.size() == 3);
  require_same(expected, read_all(lf.path(), azure));
  require_same(expected, read_all(gz.path(), azure));
  require_same(expected, read_all(zst.path(), azure));
}

TEST_CASE("an archive that is cut short is an error, not a shorter trace") {
  std::string rows = "arrival_s,prompt_tokens,output_tokens\n";
  for (int i = 0; i < 20000; ++i) rows += std::to_string(i) + ",100,10\n";
  const auto half = [](const std::string& text) { return text.substr(0, text.size() / 2); };
  const TemporaryFile gz("gpucap_cut.csv.gz",
                         half(compressed(rows, boost::iostreams::gzip_compressor())));
  const TemporaryFile zst("gpucap_cut.csv.zst",
                          half(compressed(rows, boost::iostreams::zstd_compressor())));
  CHECK(complaint(gz.path(), {}).find("damaged or cut short") != std::string::npos);
  CHECK(complaint(zst.path(), {}).find("damaged or cut short") != std::string::npos);
}

TEST_CASE("vidur columns are found by name and others are ignored") {
  const TemporaryFile file("gpucap_vidur.csv",
                           "id,num_decode_tokens,arrived_at,note,num_prefill_tokens\n"
                           "a,5,0.5,\"x, y\",100\nb,6,1.25e0,,200\n");
  const auto requests = read_all(file.path(), {.format = TraceFormat::vidur});
  REQUIRE(requests.size() == 2);
  CHECK(requests[0].arrival == SimTime{500'000'000});
  CHECK(requests[0].prompt_tokens == 100);
  CHECK(requests[1].arrival == SimTime{1'250'000'000});
  CHECK(requests[1].output_tokens == 6);
}

TEST_CASE(
    "mooncake rows carry milliseconds and block ids; the last block may be partial or absent") {
  const TemporaryFile file(
      "gpucap_mooncake.jsonl",
      R"({"timestamp": 0, "input_length": 1030, "output_length": 5, "hash_ids": [0, 1, 2]}
{"hash_ids":[0,18446744073709551615],"output_length":6,"x":[1],"input_length":1030,"timestamp":1.5}
{"timestamp": 386.902, "input_length": 10, "output_length": 7})");
  const auto stream = open_trace(file.path(), {.format = TraceFormat::mooncake});
  CHECK(stream->block_tokens() == 512);
  const auto requests = all_of(*stream);
  REQUIRE(requests.size() == 3);
  CHECK(requests[0].prompt_blocks == std::vector<std::uint64_t>{0, 1, 2});
  CHECK(requests[1].prompt_blocks == std::vector<std::uint64_t>{0, 18446744073709551615u});
  CHECK(requests[1].arrival == SimTime{1'500'000});
  CHECK(requests[2].arrival == SimTime{386'902'000});
  CHECK(requests[2].prompt_blocks.empty());
}

TEST_CASE("rows that ask for nothing are dropped and counted, ids stay without gaps") {
  const TemporaryFile file("gpucap_dropped.csv",
                           "arrival_s,prompt_tokens,output_tokens\n0,5,0\n1,5,1\n2,0,3\n3,6,1\n");
  const auto stream = open_trace(file.path(), {});
  const auto requests = all_of(*stream);
  CHECK(stream->dropped() == 2);
  REQUIRE(requests.size() == 2);
  CHECK(requests[1].id == 1);
  CHECK(requests[1].prompt_tokens == 6);
}

TEST_CASE("a rate scale of 2 halves the times and a limit keeps the first requests") {
  const TemporaryFile file("gpucap_scaled.csv",
                           "arrival_s,prompt_tokens,output_tokens\n1,5,1\n3,5,1\n9,5,1\n");
  const auto requests = read_all(file.path(), {.rate_scale = 2, .limit = 2});
  REQUIRE(requests.size() == 2);
  CHECK(requests[0].arrival == SimTime{500'000'000});
  CHECK(requests[1].arrival == SimTime{1'500'000'000});
}

TEST_CASE("rows after the limit are not even read") {
  const TemporaryFile file("gpucap_limit.csv",
                           "arrival_s,prompt_tokens,output_tokens\n1,5,1\nbroken\n");
  CHECK(read_all(file.path(), {.limit = 1}).size() == 1);
}

TEST_CASE("what is written is read back the same, in both formats") {
  const GeneratorSpec spec{.seed = 4,
                           .requests = 200,
                           .arrivals = *Arrivals::poisson(2 * unit::per_s),
                           .prompt_tokens = *parse_lengths("uniform:10..100"),
                           .output_tokens = *parse_lengths("10"),
                           .shared_prefix = SharedPrefix{.tokens = 32}};
  const auto expected = all_of(*generate(spec).requests);
  for (const auto format : {TraceFormat::gpucap, TraceFormat::mooncake}) {
    const TemporaryFile file("gpucap_round_trip.trace", "");
    CHECK(write_trace(*generate(spec).requests, file.path(), format) == 200);
    require_same(expected, read_all(file.path(), {.format = format, .block_tokens = 16}));
  }
}

TEST_CASE("the writer leaves nothing behind when the stream fails") {
  const TemporaryFile bad("gpucap_bad_source.csv",
                          "arrival_s,prompt_tokens,output_tokens\n1,5,1\n0,5,1\n");
  const auto target = bad.path().parent_path() / "gpucap_bad_target.csv";
  const auto stream = open_trace(bad.path(), {});
  CHECK_THROWS_AS(write_trace(*stream, target), InputError);
  CHECK_FALSE(std::filesystem::exists(target));
  CHECK_FALSE(std::filesystem::exists(target.string() + ".part"));
  CHECK_THROWS_AS(write_trace(*stream, target, TraceFormat::azure), InputError);
}

TEST_CASE("formats go by name and a near miss is offered the right one") {
  CHECK(*parse_trace_format("mooncake") == TraceFormat::mooncake);
  CHECK(parse_trace_format("azur").failure().message ==
        "unknown trace format \"azur\"; did you mean \"azure\"?");
  CHECK_FALSE(parse_trace_format(""));
}
