// Blocks, line ends and odd rows: the quick ways of the readers must not be told from the plain
// one.
#include "gpucap/core/random.hpp"

#include <chrono>
#include <fstream>
#include <sstream>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

#include "compressed.hpp"
#include "support/catch.hpp"
#include "trace_files.hpp"
#include <boost/iostreams/filter/gzip.hpp>
#include <boost/iostreams/filter/zstd.hpp>
#include <fmt/format.h>

using namespace gpucap;
using namespace gpucap::workload;

namespace {

// Readers fill their buffer by so many bytes of text.
constexpr std::size_t block_bytes = 65536;

const std::string azure_header = "TIMESTAMP,ContextTokens,GeneratedTokens";
const std::string azure_rows[] = {"2024-05-10 00:00:00.0000001,123,4",
                                  "2024-05-10 00:00:01.5000001,56789,1000",
                                  "2024-05-10 00:01:00.0000001,7,8"};
const std::string mooncake_rows[] = {
    R"({"timestamp": 0, "input_length": 123, "output_length": 4})",
    R"({"timestamp": 1500, "input_length": 56789, "output_length": 1000})",
    R"({"timestamp": 60000, "input_length": 7, "output_length": 8})"};

/// The three rows above, in whatever format they were written.
bool are_the_rows(const std::vector<Request>& requests) {
  if (requests.size() != 3) return false;
  const std::int64_t ns[] = {0, 1'500'000'000, 60'000'000'000};
  const std::int64_t prompt[] = {123, 56789, 7}, output[] = {4, 1000, 8};
  for (std::size_t i = 0; i < 3; ++i) {
    const Request& r = requests[i];
    if (r.arrival.ns != ns[i] || r.prompt_tokens != prompt[i] || r.output_tokens != output[i]) {
      return false;
    }
  }
  return true;
}

/// Header and rows, preceded by empty lines so that the first row begins at an offset.
std::string text_at(std::size_t offset, std::string header, const std::string (&rows)[3],
                    const std::string& line_end) {
  if (!header.empty()) header += '\n';
  std::string text = header + std::string(offset - header.size(), '\n');
  return text + rows[0] + line_end + rows[1] + line_end + rows[2];
}

}  // namespace

TEST_CASE("a row reads the same wherever the end of a block cuts it") {
  for (std::size_t before = 0; before <= 160; ++before) {
    for (const char* const line_end : {"\n", "\r\n"}) {
      const TemporaryFile csv("gpucap_cut_rows.csv",
                              text_at(block_bytes - before, azure_header, azure_rows, line_end));
      REQUIRE(are_the_rows(read_all(csv.path(), {.format = TraceFormat::azure})));
      const TemporaryFile json("gpucap_cut_rows.jsonl",
                               text_at(block_bytes - before, "", mooncake_rows, line_end));
      REQUIRE(are_the_rows(read_all(json.path(), {.format = TraceFormat::mooncake})));
    }
  }
}

TEST_CASE("a file that ends with its last block ends there, with and without a final newline") {
  const std::string rows = text_at(100, azure_header, azure_rows, "\n");
  const std::size_t offset = block_bytes - (rows.size() - 100);
  for (const std::size_t newline : {0u, 1u}) {
    const std::string text =
        text_at(offset - newline, azure_header, azure_rows, "\n") + std::string(newline, '\n');
    REQUIRE(text.size() == block_bytes);
    const TemporaryFile file("gpucap_whole_block.csv", text);
    CHECK(are_the_rows(read_all(file.path(), {.format = TraceFormat::azure})));
  }
}

TEST_CASE("a line longer than several blocks is one line") {
  // 60,000 ids of 5 digits and a blank: 360 kB, more than 5 blocks. 16 tokens each.
  std::string ids;
  for (int i = 0; i < 60000; ++i) ids += fmt::format("{} ", 10000 + i);
  const TemporaryFile file(
      "gpucap_long_line.csv",
      "arrival_s,prompt_tokens,output_tokens,prompt_blocks\n0,16,1,5\n1,960000,1," + ids +
          "\n2,16,1,6\n");
  const auto requests = read_all(file.path(), {});
  REQUIRE(requests.size() == 3);
  CHECK(requests[1].prompt_blocks.size() == 60000);
  CHECK(requests[1].prompt_blocks.back() == 69999);
  CHECK(requests[2].prompt_blocks == std::vector<std::uint64_t>{6});
}

namespace {

struct DrawnRow {
  std::int64_t ns, prompt, output;
  std::string text;
};

/// A number as people and programs write it; only the first way is plain.
std::string number(RandomStream& random, std::int64_t value) {
  switch (random.uniform_int(0, 12)) {
    case 0:
      return fmt::format("\"{}\"", value);
    case 1:
      return fmt::format(" {}", value);
    case 2:
      return fmt::format("{}\t ", value);
    case 3:
      return fmt::format("{:012}", value);
    case 4:
      return fmt::format("{:04}", value);
    default:
      return fmt::format("{}", value);
  }
}

/// The second `at` of 10 May 2024 and so many digits of a fraction.
std::string date(RandomStream& random, std::int64_t at, const std::string& fraction) {
  const char* const zones[] = {"", "", "", "", "+00:00", "Z", "-00:00"};
  const std::string text =
      fmt::format("2024-05-10{}{:02}:{:02}:{:02}{}{}", random.uniform_int(0, 9) == 0 ? 'T' : ' ',
                  at / 3600, at / 60 % 60, at % 60, fraction.empty() ? "" : "." + fraction,
                  zones[random.uniform_int(0, 6)]);
  return random.uniform_int(0, 15) == 0 ? '"' + text + '"' : text;
}

DrawnRow draw_row(RandomStream& random, std::int64_t at) {
  std::string fraction;
  std::int64_t ns = 0, weight = 100'000'000;
  for (auto digits = random.uniform_int(0, 9); digits > 0; --digits, weight /= 10) {
    const std::int64_t digit = random.uniform_int(0, 9);
    fraction += static_cast<char>('0' + digit);
    ns += digit * weight;
  }
  // From one digit to nine: beyond eight the quick way has to give up.
  std::int64_t largest = 9;
  for (auto digits = random.uniform_int(0, 8); digits > 0; --digits) largest = largest * 10 + 9;
  DrawnRow row{at * 1'000'000'000 + ns, random.uniform_int(1, largest),
               random.uniform_int(1, largest), ""};
  row.text = date(random, at, fraction) + ',' + number(random, row.prompt) + ',' +
             number(random, row.output) + (random.uniform_int(0, 4) == 0 ? "\r\n" : "\n");
  if (random.uniform_int(0, 20) == 0) row.text += " \t\n\n";
  return row;
}

}  // namespace

TEST_CASE("rows drawn in every spelling are read as what was drawn") {
  RandomStream random(7, "spellings");
  std::vector<DrawnRow> rows;
  std::string text = azure_header + "\n2024-05-10 00:00:00,1,1\n";
  for (std::int64_t at = 1; at < 86400; at += random.uniform_int(1, 20)) {
    rows.push_back(draw_row(random, at));
    text += rows.back().text;
  }
  const TemporaryFile file("gpucap_spellings.csv", text);
  const auto requests = read_all(file.path(), {.format = TraceFormat::azure});
  REQUIRE(requests.size() == rows.size() + 1);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    REQUIRE(requests[i + 1].arrival.ns == rows[i].ns);
    REQUIRE(requests[i + 1].prompt_tokens == rows[i].prompt);
    REQUIRE(requests[i + 1].output_tokens == rows[i].output);
  }
}

namespace {

/// What a file is read as, or the complaint about it without its place.
std::string outcome(const std::string& text, TraceFormat format) {
  const TemporaryFile file("gpucap_mutant.csv", text);
  try {
    std::string all;
    for (const Request& r : read_all(file.path(), {.format = format})) {
      all += fmt::format("{} {} {} {}\n", r.arrival.ns, r.prompt_tokens, r.output_tokens,
                         fmt::join(r.prompt_blocks, " "));
    }
    return all;
  } catch (const InputError& error) {
    const std::string_view said = error.what();
    return std::string(said.substr(std::min(said.size(), said.find(": "))));
  }
}

std::string mutant(RandomStream& random, std::string row) {
  constexpr std::string_view letters = "0123456789,,..::--+ \t\"\rTZex/;";
  for (auto changes = random.uniform_int(1, 3); changes > 0; --changes) {
    const auto at = static_cast<std::size_t>(random.uniform_int(0, std::ssize(row) - 1));
    const char letter =
        letters[static_cast<std::size_t>(random.uniform_int(0, std::ssize(letters) - 1))];
    switch (random.uniform_int(0, 2)) {
      case 0:
        row[at] = letter;
        break;
      case 1:
        row.insert(at, 1, letter);
        break;
      default:
        row.erase(at, 1);
    }
  }
  return row;
}

/// A blank before the first field makes no difference to the strict reader, and the quick one
/// leaves such a row to it. Counts the mutants that are still rows.
int compare_mutants(const std::string& header, const std::string& row, TraceFormat format) {
  RandomStream random(11, "mutants");
  int good = 0;
  for (int i = 0; i < 1500; ++i) {
    const std::string changed = mutant(random, row);
    const std::string rest = "\n" + row + "\n";
    const std::string quick = outcome(header + "\n" + changed + rest, format);
    INFO(changed);
    REQUIRE(quick == outcome(header + "\n " + changed + rest, format));
    good += quick.starts_with(':') ? 0 : 1;
  }
  return good;
}

}  // namespace

TEST_CASE("a row with random faults gives what the strict reader gives, or its complaint") {
  const int dates =
      compare_mutants(azure_header, "2023-11-16 18:17:03.9799600,374,44", TraceFormat::azure);
  CHECK((dates > 100 && dates < 1400));
  const int seconds = compare_mutants("arrival_s,prompt_tokens,output_tokens,prompt_blocks",
                                      "13.979960000,33,44,17 123456789 3", TraceFormat::gpucap);
  CHECK((seconds > 100 && seconds < 1400));
}

TEST_CASE("compression of many blocks, and of several members or frames, makes no difference") {
  std::string text[2] = {azure_header + "\n", ""};
  for (int i = 0; i < 20000; ++i) {
    text[i / 10000] += fmt::format("2024-05-10 {:02}:{:02}:{:02}.{:07},{},{}\n", i / 3600,
                                   i / 60 % 60, i % 60, i * 37, 1 + i * 7 % 5000, 1 + i % 300);
  }
  const TraceOptions azure{.format = TraceFormat::azure};
  const TemporaryFile plain("gpucap_members.csv", text[0] + text[1]);
  const auto expected = read_all(plain.path(), azure);
  REQUIRE(expected.size() == 20000);
  const auto gz = [](const std::string& t) {
    return compressed(t, boost::iostreams::gzip_compressor());
  };
  const auto zst = [](const std::string& t) {
    return compressed(t, boost::iostreams::zstd_compressor());
  };
  for (const std::string& packed : {gz(text[0]) + gz(text[1]), zst(text[0]) + zst(text[1])}) {
    const TemporaryFile file("gpucap_members.packed", packed);
    const auto requests = read_all(file.path(), azure);
    REQUIRE(requests.size() == expected.size());
    for (std::size_t i = 0; i < requests.size(); ++i) {
      REQUIRE(requests[i].arrival == expected[i].arrival);
      REQUIRE(requests[i].prompt_tokens == expected[i].prompt_tokens);
    }
    // The last eight bytes of gzip are its checksum and length; a frame of zstd has an end too.
    const TemporaryFile cut("gpucap_members.cut", packed.substr(0, packed.size() - 1));
    CHECK(complaint(cut.path(), azure).find("damaged or cut short") != std::string::npos);
    const TemporaryFile tail("gpucap_members.tail", packed + "tail");
    CHECK(complaint(tail.path(), azure).find("damaged or cut short") != std::string::npos);
  }
}

TEST_CASE("a trace may come out of a pipe, plain or compressed") {
  const std::string text = text_at(100, azure_header, azure_rows, "\n");
  const auto pipe =
      std::filesystem::temp_directory_path() / ("gpucap_trace_pipe-" + std::to_string(getpid()));
  for (const std::string& sent : {text, compressed(text, boost::iostreams::gzip_compressor()),
                                  compressed(text, boost::iostreams::zstd_compressor())}) {
    std::filesystem::remove(pipe);
    REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
    std::thread writer([&] { std::ofstream(pipe, std::ios::binary) << sent; });
    const auto requests = read_all(pipe, {.format = TraceFormat::azure});
    writer.join();
    CHECK(are_the_rows(requests));
  }
  std::filesystem::remove(pipe);
}
