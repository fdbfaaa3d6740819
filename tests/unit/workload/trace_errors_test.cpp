#include "support/catch.hpp"
#include "trace_files.hpp"

using namespace gpucap;
using namespace gpucap::workload;

namespace {

/// What reading the content complains of, after the name of the file.
std::string complaint_of(std::string_view test, std::string_view content,
                         const TraceOptions& options) {
  std::string name = "gpucap_error_";
  name.append(test);
  const TemporaryFile file(name, content);
  const std::string text = complaint(file.path(), options);
  name += ':';
  std::string_view rest = text;
  if (rest.starts_with(name)) rest.remove_prefix(name.size());
  return std::string(rest);
}

std::string csv_complaint(std::string_view test, std::string_view rows,
                          std::string_view header = "arrival_s,prompt_tokens,output_tokens") {
  std::string content(header);
  content += '\n';
  content.append(rows);
  return complaint_of(test, content, {});
}

std::string mooncake_complaint(std::string_view test, std::string_view rows) {
  return complaint_of(test, rows, {.format = TraceFormat::mooncake});
}

}  // namespace

TEST_CASE("a bad number is told with line, column and name") {
  CHECK(csv_complaint("nan", "0,5,1\n1,nan,1\n") ==
        "3:3: prompt_tokens: \"nan\" is not a whole number [not-a-count]");
  CHECK(csv_complaint("negative", "0,5,-1\n") ==
        "2:5: output_tokens: -1 is negative [out-of-range]");
  CHECK(csv_complaint("time", "inf,5,1\n") ==
        "2:1: arrival_s: \"inf\" is not a number [not-a-number]");
  CHECK(csv_complaint("before", "-1,5,1\n") ==
        "2:1: arrival_s: a time of -1 s is negative [out-of-range]");
  CHECK(csv_complaint("unit", "1700000000000000000,5,1\n") ==
        "2:1: arrival_s: a time of 1.7e+18 s is beyond 285 years; the file may be in another unit "
        "[out-of-range]");
  CHECK(csv_complaint("huge", "0,3000000000,1\n") ==
        "2:3: prompt_tokens: 3000000000 tokens are too many for one request [out-of-range]");
  CHECK(csv_complaint("empty", "0,,1\n") ==
        "2:3: prompt_tokens: \"\" is not a whole number [not-a-count]");
}

TEST_CASE("rows out of order name the line and how far they go back") {
  CHECK(csv_complaint("unsorted", "0,5,1\n2,5,1\n1.5,5,1\n") ==
        "4:1: arrival_s: the row arrives 0.5 s before the one above; sort the file by arrival "
        "[unsorted]");
  // Equal times are in order.
  CHECK(csv_complaint("equal", "1,5,1\n1,5,1\n").empty());
}

TEST_CASE("a row with too few or too many fields is refused") {
  CHECK(csv_complaint("short", "0,5,1\n1,5") ==
        "3:1: 2 fields, but the header names 3; is the line cut short? [field-count]");
  CHECK(csv_complaint("long", "0,5,1,7\n") ==
        "2:1: 4 fields, but the header names 3 [field-count]");
}

TEST_CASE("every missing column is told, with a near name where there is one") {
  const TemporaryFile file("gpucap_error_columns", "arrival_s,prompt_token,out\n");
  CHECK(complaint(file.path(), {}) ==
        "gpucap_error_columns:1:1: prompt_tokens: column is missing; is it the one called "
        "\"prompt_token\"? [missing-column]\n"
        "gpucap_error_columns:1:1: output_tokens: column is missing; the header is: "
        "arrival_s,prompt_token,out [missing-column]");
  CHECK(
      csv_complaint("twice", "0,1,1,1\n", "arrival_s,prompt_tokens,prompt_tokens,output_tokens") ==
      "1:11: prompt_tokens: column occurs twice [duplicate-column]");
}

TEST_CASE("a trace without requests is an error") {
  CHECK(csv_complaint("no_rows", "") == "2:1: the trace has no rows [empty-trace]");
  CHECK(csv_complaint("all_dropped", "0,5,0\n") ==
        "3:1: none of 1 rows asks for both prompt and output tokens [empty-trace]");
  const TemporaryFile nothing("gpucap_error_nothing", "");
  CHECK(complaint(nothing.path(), {}) ==
        "gpucap_error_nothing:1:1: the file is empty; a header line is expected [empty-trace]");
  CHECK(complaint(nothing.path(), {.format = TraceFormat::mooncake}) ==
        "gpucap_error_nothing:1:1: the trace has no rows [empty-trace]");
  CHECK(complaint("/no/such/trace.csv", {}) == "trace.csv: there is no such file [missing-file]");
  CHECK(complaint("/tmp/", {}).find("is a directory") != std::string::npos);
}

TEST_CASE("a time of day that does not exist is refused") {
  for (const char* time : {"2023-02-30 00:00:00", "2023-11-16 24:00:00", "2023-11-16 18:17",
                           "16.11.2023 18:17:03", "2023-11-16 18:17:03.", "1700158623"}) {
    const TemporaryFile file("gpucap_error_dates", "TIMESTAMP,ContextTokens,GeneratedTokens\n" +
                                                       std::string(time) + ",1,1\n");
    CHECK(complaint(file.path(), {.format = TraceFormat::azure})
              .find("2:1: TIMESTAMP: \"" + std::string(time) + "\" is not a date and time") !=
          std::string::npos);
  }
}

TEST_CASE("broken JSON lines are told with line, column and key") {
  const std::string good = R"({"timestamp":0,"input_length":5,"output_length":1})";
  CHECK(mooncake_complaint("json_cut", good + "\n" + good.substr(0, 30)) ==
        "2:1: the line is not a JSON object [bad-json]");
  CHECK(mooncake_complaint("json_csv", "timestamp,input_length\n") ==
        "1:1: the line is not a JSON object [bad-json]");
  CHECK(mooncake_complaint("json_key", R"({"timestamp":0,"input_length":5})") ==
        "1:1: output_length: key is missing [missing-key]");
  CHECK(mooncake_complaint("json_nan", R"({"timestamp":NaN,"input_length":5,"output_length":1})") ==
        "1:14: timestamp: is not a number of milliseconds [not-a-number]");
  CHECK(
      mooncake_complaint("json_text", R"({"timestamp":0,"input_length":"5","output_length":1})") ==
      "1:31: input_length: is not a whole number [not-a-count]");
  CHECK(
      mooncake_complaint("json_minus", R"({"timestamp":0,"input_length":5,"output_length":-1})") ==
      "1:49: output_length: -1 is negative [out-of-range]");
  CHECK(mooncake_complaint(
            "json_id", R"({"timestamp":0,"input_length":5,"output_length":1,"hash_ids":[-4]})") ==
        "1:62: hash_ids: entry 0 is not a whole number of at least 0 [not-a-count]");
}

TEST_CASE("block ids that do not fit the block size are refused, the size being a likely slip") {
  // 100 tokens make 0 whole blocks of 512, or 1 with the partial one.
  CHECK(
      mooncake_complaint(
          "blocks", R"({"timestamp":0,"input_length":100,"output_length":1,"hash_ids":[1,2,3]})") ==
      "1:64: hash_ids: 3 block ids for 100 prompt tokens, but blocks of 512 tokens make 0 or 1; "
      "is the block size right? [block-count]");
  CHECK(csv_complaint("csv_blocks", "0,32,1,1 2 x\n",
                      "arrival_s,prompt_tokens,output_tokens,prompt_blocks") ==
        "2:8: prompt_blocks: \"x\" is not a block id [not-a-count]");
  CHECK(csv_complaint("csv_count", "0,32,1,1\n",
                      "arrival_s,prompt_tokens,output_tokens,prompt_blocks")
            .find("1 block ids for 32 prompt tokens, but blocks of 16 tokens make 2;") !=
        std::string::npos);
}

TEST_CASE("options out of range are all listed") {
  const TemporaryFile file("gpucap_error_options", "");
  CHECK(
      complaint(file.path(),
                {.format = TraceFormat::azure, .block_tokens = 16, .rate_scale = 0, .limit = 0}) ==
      "rate_scale: 0 is not a number above 0 [out-of-range]\n"
      "limit: 0 is below 1 [out-of-range]\n"
      "block_tokens: azure traces name no blocks [out-of-range]");
}

TEST_CASE("a binary file does not reach the terminal") {
  const TemporaryFile file("gpucap_error_binary",
                           std::string("\x7f\x45\x4c\x46\x02\x01\x1b[31m", 11));
  CHECK(complaint(file.path(), {}).find('\x1b') == std::string::npos);
}
