#include "gpucap/core/error.hpp"
#include "gpucap/workload/trace.hpp"

#include <cmath>
#include <fstream>
#include <iterator>
#include <string>

#include <fmt/format.h>

namespace gpucap::workload {
namespace {

constexpr std::int64_t ns_per_s = 1'000'000'000;
constexpr std::int64_t ns_per_ms = 1'000'000;

std::string joined(const std::vector<std::uint64_t>& blocks, std::string_view separator) {
  return fmt::format("{}", fmt::join(blocks, separator));
}

std::string csv_row(const Request& request, bool with_blocks) {
  return fmt::format("{}.{:09},{},{}{}{}\n", request.arrival.ns / ns_per_s,
                     request.arrival.ns % ns_per_s, request.prompt_tokens, request.output_tokens,
                     with_blocks ? "," : "", joined(request.prompt_blocks, " "));
}

std::string mooncake_row(const Request& request) {
  const std::string blocks =
      request.prompt_blocks.empty()
          ? ""
          : fmt::format(",\"hash_ids\":[{}]", joined(request.prompt_blocks, ","));
  return fmt::format("{{\"timestamp\":{}.{:06},\"input_length\":{},\"output_length\":{}{}}}\n",
                     request.arrival.ns / ns_per_ms, request.arrival.ns % ns_per_ms,
                     request.prompt_tokens, request.output_tokens, blocks);
}

void write_header(std::ostream& out, bool with_blocks) {
  out << "arrival_s,prompt_tokens,output_tokens" << (with_blocks ? ",prompt_blocks" : "") << '\n';
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

  std::ostream& out() { return out_; }

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
  if (csv) write_header(file.out(), with_blocks);
  std::int64_t count = 0;
  for (auto request = requests.next(); request; request = requests.next(), ++count) {
    file.out() << (csv ? csv_row(*request, with_blocks) : mooncake_row(*request));
  }
  file.keep();
  return count;
}

}  // namespace gpucap::workload
