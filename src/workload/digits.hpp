#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <optional>

namespace gpucap::workload {

/// Reads texts of digits eight bytes at a time, whatever their length: a loop over digits would
/// have its end mispredicted at nearly every number. All of it may look at eight bytes from `at`.
struct Digits {
  std::uint64_t value = 0;
  std::uint32_t count = 0;  ///< from 0 to 8; after 8 a ninth digit may follow
};

/// Eight bytes, the first one lowest.
inline std::uint64_t load_eight(const char* at) {
  std::uint64_t word = 0;
  std::memcpy(&word, at, sizeof word);
  if constexpr (std::endian::native == std::endian::big) word = __builtin_bswap64(word);
  return word;
}

inline bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

/// The digits that stand at `at`, at most eight of them.
inline Digits read_digits(const char* at) {
  constexpr std::uint64_t every = 0x0101010101010101;
  // 0 to 9 for digits; adding 0x76 carries larger ones into the top bit of their byte. A carry into
  // the byte above does no harm: only the lowest byte that is no digit is looked for.
  const std::uint64_t word = load_eight(at) ^ every * 0x30;
  const std::uint64_t others = ((word + every * 0x76) | word) & every * 0x80;
  const auto bits = static_cast<std::uint32_t>(std::countr_zero(others)) & ~7U;
  if (bits == 0) return {};
  // Zeros before the first digit, then pairs, fours and all eight of them by one product each.
  std::uint64_t value = word << (64 - bits);
  value = value * 10 + (value >> 8);
  constexpr std::uint64_t pairs = 0x000000ff000000ff;
  value = ((value & pairs) * (100 + (std::uint64_t{1'000'000} << 32)) +
           ((value >> 16) & pairs) * (1 + (std::uint64_t{10'000} << 32))) >>
          32;
  return {value, bits / 8};
}

}  // namespace gpucap::workload
