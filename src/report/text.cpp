#include "gpucap/report/text.hpp"

#include <algorithm>
#include <array>
#include <bit>

namespace gpucap::report {
namespace {

constexpr std::string_view replacement = "\xEF\xBF\xBD";

struct CodePoint {
  char32_t value = 0;
  std::size_t bytes = 1;
  bool valid = false;
};

/// The code point at the front; overlong forms, surrogates and cut sequences are not valid.
CodePoint first_code_point(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text.front());
  if (lead < 0x80) return {lead, 1, true};
  const auto length = static_cast<std::size_t>(std::countl_one(lead));
  if (length < 2 || length > 4 || text.size() < length) return {};
  char32_t value = lead & (0xFFu >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) {
    const auto next = static_cast<unsigned char>(text[i]);
    if ((next & 0xC0u) != 0x80) return {};
    value = (value << 6) | (next & 0x3Fu);
  }
  constexpr std::array<char32_t, 5> smallest = {0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = value >= 0xD800 && value <= 0xDFFF;
  if (value < smallest[length] || value > 0x10FFFF || surrogate) return {};
  return {value, length, true};
}

struct Range {
  char32_t first, last;
};

// Unicode 15 blocks, whole blocks only: enough to keep columns straight.
constexpr Range no_width[] = {{0x300, 0x36F},   {0x200B, 0x200F}, {0x202A, 0x202E},
                              {0x2060, 0x2064}, {0x20D0, 0x20FF}, {0xFE00, 0xFE0F}};
constexpr Range double_width[] = {{0x1100, 0x115F},   {0x2E80, 0x303E},   {0x3041, 0xA4CF},
                                  {0xAC00, 0xD7A3},   {0xF900, 0xFAFF},   {0xFE30, 0xFE6F},
                                  {0xFF00, 0xFF60},   {0xFFE0, 0xFFE6},   {0x1F300, 0x1F64F},
                                  {0x1F680, 0x1F6FF}, {0x1F900, 0x1F9FF}, {0x20000, 0x3FFFD}};

template <std::size_t N>
bool within(const Range (&ranges)[N], char32_t value) {
  return std::any_of(std::begin(ranges), std::end(ranges), [&](const Range& range) {
    return value >= range.first && value <= range.last;
  });
}

bool is_control(char32_t value) {
  return value < 0x20 || (value >= 0x7F && value < 0xA0);
}

}  // namespace

std::string valid_utf8(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const CodePoint point = first_code_point(text);
    out += point.valid ? text.substr(0, point.bytes) : replacement;
    text.remove_prefix(point.bytes);
  }
  return out;
}

std::string printable(std::string_view text) {
  const std::string valid = valid_utf8(text);
  std::string out;
  for (std::string_view rest = valid; !rest.empty();) {
    const CodePoint point = first_code_point(rest);
    const bool blank = point.value == '\n' || point.value == '\r' || point.value == '\t';
    out += blank                     ? std::string_view(" ")
           : is_control(point.value) ? replacement
                                     : rest.substr(0, point.bytes);
    rest.remove_prefix(point.bytes);
  }
  return out;
}

std::size_t display_width(std::string_view text) {
  std::size_t width = 0;
  while (!text.empty()) {
    const CodePoint point = first_code_point(text);
    const bool wide = within(double_width, point.value);
    width += within(no_width, point.value) ? 0 : wide ? 2 : 1;
    text.remove_prefix(point.bytes);
  }
  return width;
}

}  // namespace gpucap::report
