#pragma once

#include "gpucap/core/error.hpp"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

namespace gpucap::workload {

/// Where something stands in a text file; both count from 1.
struct Place {
  std::int64_t line = 0;
  std::int64_t column = 0;
};

/// Lines of a text file, plain, gzip or zstd (told by the first bytes), in blocks of fixed size.
/// Line ends are LF or CRLF, the last one may be missing; a UTF-8 mark at the start is skipped.
class LineReader {
 public:
  explicit LineReader(std::filesystem::path path);
  ~LineReader();
  LineReader(const LineReader&) = delete;
  LineReader& operator=(const LineReader&) = delete;

  /// Moves to the next line that is not blank; false at the end. InputError for damaged archives.
  bool next();
  /// The current line, valid until the next call of next().
  [[nodiscard]] const std::string& line() const { return line_; }
  [[nodiscard]] std::int64_t number() const { return number_; }
  [[nodiscard]] std::string file() const { return path_.string(); }

  /// A problem of this file at a place.
  [[nodiscard]] Problem problem(Place place, std::string_view column, std::string message,
                                std::string code) const;

 private:
  struct Source;
  bool read_line();
  bool refill();

  std::filesystem::path path_;
  std::unique_ptr<Source> source_;
  std::string block_;
  std::size_t used_ = 0;
  std::string line_;
  std::int64_t number_ = 0;
};

/// Text of a file as a message may show it: short and without control characters.
std::string excerpt(std::string_view text);

}  // namespace gpucap::workload
