#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace gpucap::catalog {

// The JSON library tells no positions of values and keeps the last of two equal keys in silence.
// This scanner fills both gaps; it runs on text that the library has parsed before.

/// Byte offset of the value at a JSON pointer, or of its nearest existing parent.
std::size_t offset_of(std::string_view text, std::string_view pointer);

/// Byte offset of exactly the value at a JSON pointer; nothing when there is none.
std::optional<std::size_t> exact_offset_of(std::string_view text, std::string_view pointer);

/// Where something stands in a text.
struct KeyPlace {
  std::size_t offset;
  std::string pointer;
};
/// The first key that stands a second time in its object.
std::optional<KeyPlace> duplicate_key(std::string_view text);
/// The first number that no double can hold.
std::optional<KeyPlace> overflowing_number(std::string_view text);

/// Byte offset of the bracket that opens more than 100 levels, which no file of ours needs and a
/// recursive walk might not survive. Any text will do.
std::optional<std::size_t> nesting_fault(std::string_view text);

/// "line:column", both from 1, columns in bytes.
std::string line_and_column(std::string_view text, std::size_t offset);

/// What is wrong at the byte where parsing stopped, in words for a person.
std::string syntax_fault(std::string_view text, std::size_t offset);

}  // namespace gpucap::catalog
