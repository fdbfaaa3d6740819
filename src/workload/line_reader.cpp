#include "line_reader.hpp"

#include "gpucap/core/file.hpp"

#include <algorithm>
#include <cstring>
#include <fstream>
#include <utility>
#include <zstd.h>

#include <boost/iostreams/filter/gzip.hpp>
#include <boost/iostreams/filter/symmetric.hpp>
#include <boost/iostreams/filtering_streambuf.hpp>
#include <fmt/format.h>

namespace gpucap::workload {
namespace {

namespace io = boost::iostreams;

constexpr std::size_t block_bytes = 1 << 16;

// Longer than any row of a trace (a million block ids); stops a binary file from filling memory.
constexpr std::size_t longest_line = 1 << 24;

std::ifstream open_file(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::error_code ignored;
  if (!in || std::filesystem::is_directory(path, ignored)) throw InputError(unreadable(path));
  return in;
}

bool is_blank(std::string_view line) {
  return line.find_first_not_of(" \t\r") == std::string_view::npos;
}

/// Boost's own zstd filter takes the end of the data for the end of a frame, so that a file that
/// was cut short would pass for a shorter trace. This one knows whether a frame is open.
class ZstdFrames {
 public:
  using char_type = char;

  bool filter(const char*& in, const char* in_end, char*& out, char* out_end, bool flush) {
    ZSTD_inBuffer source{in, static_cast<std::size_t>(in_end - in), 0};
    ZSTD_outBuffer target{out, static_cast<std::size_t>(out_end - out), 0};
    // Without input only an open frame has something left to give.
    if (source.size > 0 || open_) decompress(source, target);
    in += source.pos;
    out += target.pos;
    const bool finished = flush && source.pos == source.size && target.pos == 0;
    if (finished && open_) throw std::ios_base::failure("zstd frame without end");
    return !finished;
  }

  void close() {
    ZSTD_initDStream(stream_.get());
    open_ = false;
  }

 private:
  void decompress(ZSTD_inBuffer& source, ZSTD_outBuffer& target) {
    do {
      const std::size_t left = ZSTD_decompressStream(stream_.get(), &target, &source);
      if (ZSTD_isError(left)) throw std::ios_base::failure(ZSTD_getErrorName(left));
      open_ = left != 0;
    } while (source.pos < source.size && target.pos < target.size);
  }

  struct Free {
    void operator()(ZSTD_DStream* stream) const { ZSTD_freeDStream(stream); }
  };
  std::unique_ptr<ZSTD_DStream, Free> stream_{ZSTD_createDStream()};
  bool open_ = false;
};

using ZstdDecompressor = io::symmetric_filter<ZstdFrames>;

}  // namespace

struct LineReader::Source {
  std::ifstream file;
  io::filtering_istreambuf chain;
};

LineReader::LineReader(std::filesystem::path path)
    : path_(std::move(path)), source_(std::make_unique<Source>()) {
  source_->file = open_file(path_);
  char magic[4] = {};
  source_->file.read(magic, sizeof magic);
  source_->file.clear();
  source_->file.seekg(0);
  // RFC 1952 and RFC 8878.
  if (std::memcmp(magic, "\x1f\x8b", 2) == 0) source_->chain.push(io::gzip_decompressor());
  if (std::memcmp(magic, "\x28\xb5\x2f\xfd", 4) == 0) {
    source_->chain.push(ZstdDecompressor(static_cast<std::streamsize>(block_bytes)));
  }
  source_->chain.push(source_->file);
}

LineReader::~LineReader() = default;

bool LineReader::refill() {
  block_.resize(block_bytes);
  used_ = 0;
  try {
    const auto got = source_->chain.sgetn(block_.data(), block_bytes);
    block_.resize(static_cast<std::size_t>(std::max<std::streamsize>(0, got)));
  } catch (const std::ios_base::failure&) {
    throw InputError(problem({number_ + 1, 1}, "", "the compressed data is damaged or cut short",
                             "damaged-archive"));
  }
  return !block_.empty();
}

bool LineReader::read_line() {
  line_.clear();
  bool any = false;
  while (used_ < block_.size() || refill()) {
    any = true;
    const std::string_view rest = std::string_view(block_).substr(used_);
    const std::size_t end = rest.find('\n');
    line_.append(rest.substr(0, end));
    if (line_.size() > longest_line) {
      throw InputError(
          problem({number_ + 1, 1}, "", "the line is too long for a trace", "not-a-text-file"));
    }
    used_ += end == std::string_view::npos ? rest.size() : end + 1;
    if (end != std::string_view::npos) break;
  }
  return any;
}

bool LineReader::next() {
  while (read_line()) {
    ++number_;
    if (number_ == 1 && line_.starts_with("\xEF\xBB\xBF")) line_.erase(0, 3);
    if (line_.ends_with('\r')) line_.pop_back();
    if (!is_blank(line_)) return true;
  }
  return false;
}

Problem LineReader::problem(Place place, std::string_view column, std::string message,
                            std::string code) const {
  return {file(), fmt::format("{}:{}", place.line, place.column), std::string(column),
          std::move(message), std::move(code)};
}

std::string excerpt(std::string_view text) {
  constexpr std::size_t shown_bytes = 60;
  std::string shown(text.substr(0, shown_bytes));
  for (char& c : shown) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = '?';
  }
  return text.size() > shown_bytes ? shown + "..." : shown;
}

}  // namespace gpucap::workload
