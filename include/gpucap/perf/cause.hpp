#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace gpucap::perf {

/// What time went to: the largest term of each kernel, the link, the host, or a queue that waited.
enum class Cause : std::uint8_t { compute, memory_bandwidth, link, host, kv_cache, queue };
inline constexpr std::size_t cause_count = 6;

constexpr std::string_view name(Cause cause) {
  constexpr std::string_view names[] = {"compute", "memory_bandwidth", "link",
                                        "host",    "kv_cache",         "queue"};
  return names[static_cast<std::size_t>(cause)];
}

}  // namespace gpucap::perf
