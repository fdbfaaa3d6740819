#include "line_reader.hpp"

#include <algorithm>
#include <cstring>
#include <ios>
#include <utility>

#include <fmt/format.h>

namespace gpucap::workload {
namespace {

// Stays in the second-level cache between filling and reading.
constexpr std::size_t block_bytes = 1 << 16;

// Longer than any row of a trace (a million block ids); stops a binary file from filling memory.
constexpr std::size_t longest_line = 1 << 24;

bool is_blank(std::string_view line) {
  return line.find_first_not_of(" \t\r") == std::string_view::npos;
}

}  // namespace

LineReader::LineReader(const std::filesystem::path& path)
    : LineReader(path, std::make_shared<RawFile>(path)) {}

LineReader::LineReader(const std::filesystem::path& path, std::shared_ptr<RawFile> file)
    : path_(path), source_(open_bytes(std::move(file))), buffer_(block_bytes + slack) {}

bool LineReader::refill() {
  const std::size_t kept = end_ - begin_;
  std::memmove(buffer_.data(), buffer_.data() + begin_, kept);
  begin_ = 0, end_ = kept;
  const std::size_t needed = kept + block_bytes + slack;
  if (buffer_.size() < needed) buffer_.resize(std::max(needed, 2 * buffer_.size()));
  try {
    end_ += source_->read(buffer_.data() + kept, block_bytes);
  } catch (const std::ios_base::failure&) {
    throw InputError(problem({number_ + 1, 1}, "", "the compressed data is damaged or cut short",
                             "damaged-archive"));
  }
  std::memset(buffer_.data() + end_, 0, slack);
  return end_ > kept;
}

void LineReader::refuse_long(std::size_t bytes) const {
  if (bytes <= longest_line) return;
  throw InputError(
      problem({number_ + 1, 1}, "", "the line is too long for a trace", "not-a-text-file"));
}

bool LineReader::read_line() {
  std::size_t length = 0;
  for (bool more = true; more; more = refill()) {
    const char* const text = buffer_.data() + begin_;
    const void* const found = std::memchr(text + length, '\n', end_ - begin_ - length);
    if (found != nullptr) {
      length = static_cast<std::size_t>(static_cast<const char*>(found) - text);
      refuse_long(length);
      line_ = {text, length};
      begin_ += length + 1;
      return true;
    }
    length = end_ - begin_;
    refuse_long(length);
  }
  line_ = {buffer_.data() + begin_, length};
  begin_ = end_;
  return length > 0;
}

bool LineReader::next() {
  while (read_line()) {
    ++number_;
    if (number_ == 1 && line_.starts_with("\xEF\xBB\xBF")) line_.remove_prefix(3);
    if (line_.ends_with('\r')) line_.remove_suffix(1);
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
