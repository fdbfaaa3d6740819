#pragma once

#include <optional>
#include <string_view>

namespace gpucap {

/// Number formats of weights, KV cache and arithmetic.
enum class Dtype { fp32, tf32, bf16, fp16, fp8, int8, int4, fp4 };

/// Bits that one number occupies in memory (tf32 is stored as fp32).
constexpr int bits(Dtype dtype) {
  switch (dtype) {
    case Dtype::fp32:
    case Dtype::tf32:
      return 32;
    case Dtype::bf16:
    case Dtype::fp16:
      return 16;
    case Dtype::fp8:
    case Dtype::int8:
      return 8;
    case Dtype::int4:
    case Dtype::fp4:
      return 4;
  }
  return 0;
}

constexpr std::string_view name(Dtype dtype) {
  constexpr std::string_view names[] = {"fp32", "tf32", "bf16", "fp16",
                                        "fp8",  "int8", "int4", "fp4"};
  return names[static_cast<int>(dtype)];
}

/// "bf16" and the long names of config.json ("bfloat16", "float16", "float32").
std::optional<Dtype> parse_dtype(std::string_view text);

}  // namespace gpucap
