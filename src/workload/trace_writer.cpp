#include "gpucap/core/error.hpp"
#include "gpucap/workload/trace.hpp"

#include <concepts>
#include <fstream>
#include <string_view>
#include <vector>

#include <fmt/format.h>

namespace gpucap::workload {
namespace {

constexpr std::int64_t ns_per_s = 1'000'000'000;
constexpr std::int64_t ns_per_ms = 1'000'000;
constexpr std::size_t block_bytes = 1 << 16;  // written at a time

using Text = fmt::memory_buffer;

// A format string would cost more than all else that happens to a row.
void append(Text& text, std::integral auto value) {
  const fmt::format_int digits(value);
  text.append(digits.data(), digits.data() + digits.size());
}

void append(Text& text, std::string_view piece) {
  text.append(piece.data(), piece.data() + piece.size());
}

/// A time as a decimal number of units, exact to the nanosecond.
void append_time(Text& text, SimTime time, std::int64_t ns_per_unit) {
  append(text, time.ns / ns_per_unit);
  text.push_back('.');
  // The leading 1 keeps the zeros behind the point.
  const fmt::format_int fraction(ns_per_unit + time.ns % ns_per_unit);
  text.append(fraction.data() + 1, fraction.data() + fraction.size());
}

void append_joined(Text& text, const std::vector<std::uint64_t>& blocks, char separator) {
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    if (i > 0) text.push_back(separator);
    append(text, blocks[i]);
  }
}

void append_csv(Text& text, const Request& request, bool with_blocks) {
  append_time(text, request.arrival, ns_per_s);
  text.push_back(',');
  append(text, request.prompt_tokens);
  text.push_back(',');
  append(text, request.output_tokens);
  if (with_blocks) text.push_back(',');
  append_joined(text, request.prompt_blocks, ' ');
  text.push_back('\n');
}

void append_mooncake(Text& text, const Request& request) {
  append(text, "{\"timestamp\":");
  append_time(text, request.arrival, ns_per_ms);
  append(text, ",\"input_length\":");
  append(text, request.prompt_tokens);
  append(text, ",\"output_length\":");
  append(text, request.output_tokens);
  if (!request.prompt_blocks.empty()) {
    append(text, ",\"hash_ids\":[");
    append_joined(text, request.prompt_blocks, ',');
    text.push_back(']');
  }
  append(text, "}\n");
}

/// Removes the half-written file when anything fails before it is kept.
class FileAside {
 public:
  explicit FileAside(const std::filesystem::path& target) : target_(target), aside_(target) {
    aside_ += ".part";
    out_.open(aside_, std::ios::binary | std::ios::trunc);
  }
  ~FileAside() {
    std::error_code ignored;
    if (!kept_) std::filesystem::remove(aside_, ignored);
  }
  FileAside(const FileAside&) = delete;
  FileAside& operator=(const FileAside&) = delete;

  /// Writes the text and empties it.
  void take(Text& text) {
    out_.write(text.data(), static_cast<std::streamsize>(text.size()));
    text.clear();
  }

  void keep() {
    out_.close();
    if (!out_) {
      throw InputError(Problem{target_.string(), "", "", "cannot be written", "unwritable-file"});
    }
    std::filesystem::rename(aside_, target_);
    kept_ = true;
  }

 private:
  std::filesystem::path target_, aside_;
  std::ofstream out_;
  bool kept_ = false;
};

}  // namespace

std::int64_t write_trace(RequestStream& requests, const std::filesystem::path& path,
                         TraceFormat format) {
  if (format != TraceFormat::gpucap && format != TraceFormat::mooncake) {
    throw InputError(
        Problem{path.string(), "", "",
                fmt::format("{} traces are only read; write gpucap or mooncake", name(format)),
                "read-only-format"});
  }
  FileAside file(path);
  const bool csv = format == TraceFormat::gpucap;
  const bool with_blocks = requests.block_tokens() > 0;
  Text text;
  if (csv) {
    append(text, "arrival_s,prompt_tokens,output_tokens");
    append(text, with_blocks ? ",prompt_blocks\n" : "\n");
  }
  std::int64_t count = 0;
  for (auto request = requests.next(); request; request = requests.next(), ++count) {
    if (csv) {
      append_csv(text, *request, with_blocks);
    } else {
      append_mooncake(text, *request);
    }
    if (text.size() >= block_bytes) file.take(text);
  }
  file.take(text);
  file.keep();
  return count;
}

}  // namespace gpucap::workload
