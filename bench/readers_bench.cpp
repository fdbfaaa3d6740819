// How fast traces are read: bytes per second of CPU time through open_trace() and next(), and for
// compressed ones the share of what the bare library reaches on the same bytes in the same run.
#include "gpucap/core/random.hpp"
#include "gpucap/workload/inspect.hpp"
#include "gpucap/workload/trace.hpp"

#include <benchmark/benchmark.h>
#include <chrono>
#include <cmath>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>
#include <zlib.h>
#include <zstd.h>

#include <fmt/chrono.h>
#include <fmt/format.h>

namespace {

using namespace gpucap;
using namespace gpucap::workload;

constexpr std::size_t plain_bytes = 64'000'000;

/// A new folder, removed at the end of the program.
struct Folder {
  std::filesystem::path path =
      std::filesystem::temp_directory_path() / fmt::format("gpucap_readers_{}", std::clock());
  Folder() { std::filesystem::create_directories(path); }
  ~Folder() { std::filesystem::remove_all(path); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
};

struct TraceFile {
  std::filesystem::path path;
  TraceFormat format;
  std::int64_t plain = 0;  ///< bytes
  [[nodiscard]] std::int64_t stored() const {
    return static_cast<std::int64_t>(std::filesystem::file_size(path));
  }
};

const TraceFile& write(const TraceFile& file, std::string_view content) {
  std::ofstream(file.path, std::ios::binary) << content;
  return file;
}

/// Skewed as published traces are: many short ones, a few long ones.
std::int64_t length(RandomStream& random, double mean, double largest) {
  return 1 + static_cast<std::int64_t>(std::min(largest, random.exponential(mean)));
}

/// Rows as in the conversation trace of 2023: 5.4 requests per second, times of 100 ns.
std::string azure_text() {
  RandomStream random(1, "azure");
  std::string text = "TIMESTAMP,ContextTokens,GeneratedTokens\r\n";
  double at = 1.7e9;
  while (text.size() < plain_bytes) {
    at += random.exponential(1 / 5.4);
    const auto whole = static_cast<std::time_t>(at);
    fmt::format_to(std::back_inserter(text), "{:%Y-%m-%d %H:%M:%S}.{:07},{},{}\r\n",
                   fmt::gmtime(whole), static_cast<int>((at - std::floor(at)) * 1e7),
                   length(random, 1000, 14000), length(random, 200, 1000));
  }
  return text;
}

std::string gpucap_text() {
  RandomStream random(1, "gpucap");
  std::string text = "arrival_s,prompt_tokens,output_tokens\n";
  double at = 0;
  while (text.size() < plain_bytes) {
    at += random.exponential(1 / 5.4);
    fmt::format_to(std::back_inserter(text), "{:.9f},{},{}\n", at, length(random, 1000, 14000),
                   length(random, 200, 1000));
  }
  return text;
}

/// As Mooncake's published traces: blocks of 512 tokens, the first one shared.
std::string mooncake_text() {
  RandomStream random(1, "mooncake");
  std::string text;
  std::int64_t at = 0, block = 1;
  while (text.size() < plain_bytes) {
    const std::int64_t prompt = length(random, 12000, 120000);
    at += random.uniform_int(0, 600);
    fmt::format_to(std::back_inserter(text),
                   "{{\"timestamp\": {}, \"input_length\": {}, \"output_length\": {}, "
                   "\"hash_ids\": [0",
                   at, prompt, length(random, 350, 2000));
    for (std::int64_t i = 1; i < prompt / 512; ++i) {
      fmt::format_to(std::back_inserter(text), ", {}", block++);
    }
    text += "]}\n";
  }
  return text;
}

void write_gz(const std::filesystem::path& path, const std::string& text) {
  const gzFile file = gzopen(path.c_str(), "wb6");
  gzwrite(file, text.data(), static_cast<unsigned>(text.size()));
  gzclose(file);
}

void write_zst(const std::filesystem::path& path, const std::string& text) {
  std::string packed(ZSTD_compressBound(text.size()), '\0');
  packed.resize(ZSTD_compress(packed.data(), packed.size(), text.data(), text.size(), 3));
  std::ofstream(path, std::ios::binary) << packed;
}

struct Inputs {
  Folder folder;
  TraceFile azure = file("azure.csv", TraceFormat::azure);
  TraceFile azure_gz = file("azure.csv.gz", TraceFormat::azure);
  TraceFile azure_zst = file("azure.csv.zst", TraceFormat::azure);
  TraceFile gpucap = file("gpucap.csv", TraceFormat::gpucap);
  TraceFile mooncake = file("mooncake.jsonl", TraceFormat::mooncake);

  Inputs() {
    const std::string text = azure_text();
    write(azure, text);
    write_gz(azure_gz.path, text);
    write_zst(azure_zst.path, text);
    azure.plain = azure_gz.plain = azure_zst.plain = static_cast<std::int64_t>(text.size());
    write(gpucap, gpucap_text());
    write(mooncake, mooncake_text());
    gpucap.plain = gpucap.stored();
    mooncake.plain = mooncake.stored();
  }

 private:
  [[nodiscard]] TraceFile file(const char* name, TraceFormat format) const {
    return {folder.path / name, format};
  }
};

const Inputs& inputs() {
  static const Inputs all;
  return all;
}

std::int64_t read_all(const TraceFile& file) {
  const auto stream = open_trace(file.path, {.format = file.format});
  std::int64_t rows = 0;
  while (const auto request = stream->next()) ++rows;
  return rows;
}

/// What both libraries need between two reads of a compressed file.
struct Blocks {
  static constexpr std::size_t size = 1 << 17;
  std::ifstream in;
  std::vector<char> packed = std::vector<char>(size), plain = std::vector<char>(size);

  explicit Blocks(const TraceFile& file) : in(file.path, std::ios::binary) {}
  std::size_t refill() { return static_cast<std::size_t>(in.rdbuf()->sgetn(packed.data(), size)); }
};

template <class T>
T* bytes(std::vector<char>& block) {
  return reinterpret_cast<T*>(block.data());
}

std::int64_t bare_zlib(const TraceFile& file) {
  Blocks blocks(file);
  z_stream stream{};
  inflateInit2(&stream, 15 + 16);
  std::int64_t total = 0;
  for (int state = Z_OK; state == Z_OK;) {
    if (stream.avail_in == 0) {
      stream.next_in = bytes<Bytef>(blocks.packed);
      stream.avail_in = static_cast<uInt>(blocks.refill());
    }
    stream.next_out = bytes<Bytef>(blocks.plain);
    stream.avail_out = Blocks::size;
    state = inflate(&stream, Z_NO_FLUSH);
    total += static_cast<std::int64_t>(Blocks::size - stream.avail_out);
  }
  inflateEnd(&stream);
  return total;
}

std::int64_t bare_zstd(const TraceFile& file) {
  Blocks blocks(file);
  ZSTD_DStream* const stream = ZSTD_createDStream();
  std::int64_t total = 0;
  while (const std::size_t got = blocks.refill()) {
    ZSTD_inBuffer in{blocks.packed.data(), got, 0};
    ZSTD_outBuffer out{};
    do {
      out = {blocks.plain.data(), Blocks::size, 0};
      ZSTD_decompressStream(stream, &out, &in);
      total += static_cast<std::int64_t>(out.pos);
    } while (in.pos < in.size || out.pos == out.size);
  }
  ZSTD_freeDStream(stream);
  return total;
}

double cpu_s() {
  return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

benchmark::Counter rate(double total) {
  return {total, benchmark::Counter::kIsRate};
}

void tell_rates(benchmark::State& state, const TraceFile& file, std::int64_t rows) {
  const auto runs = static_cast<double>(state.iterations());
  state.counters["plain_B/s"] = rate(runs * static_cast<double>(file.plain));
  state.counters["rows/s"] = rate(runs * static_cast<double>(rows));
}

void read(benchmark::State& state, const TraceFile& (*file)()) {
  std::int64_t rows = read_all(file());
  for (auto _ : state) rows = read_all(file());
  tell_rates(state, file(), rows);
}

/// Reader and bare library take turns, so that both meet the same machine.
void read_packed(benchmark::State& state, const TraceFile& (*file)(),
                 std::int64_t (*library)(const TraceFile&)) {
  double reader_s = 0, library_s = 0;
  std::int64_t rows = read_all(file());
  for (auto _ : state) {
    const double start = cpu_s();
    if (library(file()) != file().plain) state.SkipWithError("the library stopped early");
    const double middle = cpu_s();
    rows = read_all(file());
    const double end = cpu_s();
    library_s += middle - start;
    reader_s += end - middle;
    state.SetIterationTime(end - middle);
  }
  tell_rates(state, file(), rows);
  const auto runs = static_cast<double>(state.iterations());
  state.counters["file_B/s"] = rate(runs * static_cast<double>(file().stored()));
  state.counters["library_plain_B/s"] = runs * static_cast<double>(file().plain) / library_s;
  state.counters["of_library"] = library_s / reader_s;
}

void inspect_csv(benchmark::State& state, const TraceFile& (*file)()) {
  std::int64_t rows = 0;
  for (auto _ : state) {
    rows = inspect(*open_trace(file().path, {.format = file().format})).rows;
  }
  tell_rates(state, file(), rows);
}

void convert(benchmark::State& state, const TraceFile& (*file)(), TraceFormat to) {
  std::int64_t rows = 0;
  for (auto _ : state) {
    const auto stream = open_trace(file().path, {.format = file().format});
    rows = write_trace(*stream, inputs().folder.path / "written", to);
  }
  tell_rates(state, file(), rows);
}

const TraceFile& azure() {
  return inputs().azure;
}
const TraceFile& azure_gz() {
  return inputs().azure_gz;
}
const TraceFile& azure_zst() {
  return inputs().azure_zst;
}
const TraceFile& gpucap_csv() {
  return inputs().gpucap;
}
const TraceFile& mooncake() {
  return inputs().mooncake;
}

BENCHMARK_CAPTURE(read, azure, azure)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(read, gpucap, gpucap_csv)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(read, mooncake, mooncake)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(read_packed, azure_gz, azure_gz, bare_zlib)
    ->Unit(benchmark::kMillisecond)
    ->UseManualTime();
BENCHMARK_CAPTURE(read_packed, azure_zst, azure_zst, bare_zstd)
    ->Unit(benchmark::kMillisecond)
    ->UseManualTime();
BENCHMARK_CAPTURE(inspect_csv, azure, azure)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(inspect_csv, mooncake, mooncake)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(convert, azure_to_gpucap, azure, TraceFormat::gpucap)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(convert, mooncake_to_mooncake, mooncake, TraceFormat::mooncake)
    ->Unit(benchmark::kMillisecond);

}  // namespace
