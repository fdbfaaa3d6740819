#pragma once

#include "gpucap/core/error.hpp"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "byte_source.hpp"

namespace gpucap::workload {

/// Where something stands in a text file; both count from 1.
struct Place {
  std::int64_t line = 0;
  std::int64_t column = 0;
};

/// Lines of a text file, plain, gzip or zstd (told by the first bytes), in blocks of fixed size.
/// Line ends are LF or CRLF, the last one may be missing; a UTF-8 mark at the start is skipped.
/// Lines are views of the buffer: only one that straddles two blocks is moved.
class LineReader {
 public:
  /// So many zero bytes can be read beyond the end of line() and ahead().
  static constexpr std::size_t slack = 64;

  explicit LineReader(const std::filesystem::path& path);
  /// Of a file that is open already and called `path`.
  LineReader(const std::filesystem::path& path, std::shared_ptr<RawFile> file);

  /// Moves to the next line that is not blank; false at the end. InputError for damaged archives.
  bool next();
  /// The current line, valid until the next call of next(). What follows it within `slack` may be
  /// read, but is any text.
  [[nodiscard]] std::string_view line() const { return line_; }
  [[nodiscard]] std::int64_t number() const { return number_; }
  [[nodiscard]] std::string file() const { return path_.string(); }

  /// Text after the current line as far as it lies in memory, zero bytes behind it. Who
  /// understands whole lines of it takes them with skip(); next() reads any.
  [[nodiscard]] std::string_view ahead() const { return {buffer_.data() + begin_, end_ - begin_}; }
  /// Moves behind the first lines of ahead(), `bytes` long with their line ends.
  void skip(std::size_t bytes, std::size_t lines) {
    begin_ += bytes;
    number_ += static_cast<std::int64_t>(lines);
  }

  /// A problem of this file at a place.
  [[nodiscard]] Problem problem(Place place, std::string_view column, std::string message,
                                std::string code) const;

 private:
  bool read_line();
  bool refill();
  void refuse_long(std::size_t bytes) const;

  std::filesystem::path path_;
  std::unique_ptr<ByteSource> source_;
  std::vector<char> buffer_;
  std::size_t begin_ = 0, end_ = 0;  ///< text in buffer_ that no line has taken yet
  std::string_view line_;
  std::int64_t number_ = 0;
};

/// Text of a file as a message may show it: short and without control characters.
std::string excerpt(std::string_view text);

}  // namespace gpucap::workload
