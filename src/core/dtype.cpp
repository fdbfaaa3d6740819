#include "gpucap/core/dtype.hpp"

#include <utility>

namespace gpucap {

std::optional<Dtype> parse_dtype(std::string_view text) {
  constexpr std::pair<std::string_view, Dtype> names[] = {
      {"fp32", Dtype::fp32},    {"float32", Dtype::fp32},  {"tf32", Dtype::tf32},
      {"bf16", Dtype::bf16},    {"bfloat16", Dtype::bf16}, {"fp16", Dtype::fp16},
      {"float16", Dtype::fp16}, {"half", Dtype::fp16},     {"fp8", Dtype::fp8},
      {"int8", Dtype::int8},    {"int4", Dtype::int4},     {"fp4", Dtype::fp4}};
  for (const auto& [spelling, dtype] : names) {
    if (spelling == text) return dtype;
  }
  return std::nullopt;
}

}  // namespace gpucap
