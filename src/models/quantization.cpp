#include "gpucap/models/transformer.hpp"

#include <utility>

namespace gpucap::models {
namespace {

WeightFormat plain(Dtype dtype) {
  WeightFormat format;
  format.name = std::string(name(dtype));
  format.bits_per_weight = bits(dtype);
  format.compute = dtype;
  return format;
}

// One scale per matrix is nothing beside the matrix.
WeightFormat eight_bit(std::string name, Dtype compute, double scale_bytes_per_weight) {
  WeightFormat format;
  format.name = std::move(name);
  format.bits_per_weight = 8;
  format.scale_bytes_per_weight = scale_bytes_per_weight;
  format.compute = compute;
  return format;
}

// QLoRA (arXiv 2305.14314, section 3): blocks of 64 with an 8-bit scale, and one fp32 scale for
// 256 of those: 8/64 + 32/(64 * 256) = 0.127 bits per weight. Blocks run over the flattened matrix,
// so a cut may go anywhere.
WeightFormat nf4(Dtype compute) {
  WeightFormat format;
  format.name = "nf4";
  format.bits_per_weight = 4;
  format.scale_bytes_per_weight = 1.0 / 64 + 4.0 / (64 * 256);
  format.compute = compute;
  return format;
}

constexpr std::int64_t usual_group = 128;  // AutoAWQ and AutoGPTQ checkpoints
constexpr std::int64_t usual_block = 128;  // DeepSeek-V3 report, section 3.3

}  // namespace

WeightFormat grouped_format(std::string name, int bits, std::int64_t group, bool zero_points,
                            Dtype compute) {
  WeightFormat format;
  format.name = std::move(name);
  format.bits_per_weight = bits;
  format.compute = compute;
  format.group = group;
  const double zero_bytes = zero_points ? bits / 8.0 : 0.0;
  format.scale_bytes_per_weight = (2.0 + zero_bytes) / static_cast<double>(group);
  return format;
}

WeightFormat fp8_block_format(std::int64_t block) {
  auto format = eight_bit("fp8-block", Dtype::fp8, 4.0 / static_cast<double>(block * block));
  format.group = block;
  return format;
}

std::optional<WeightFormat> weight_format(const Transformer& model, const std::string& name) {
  const auto own = model.dtype;
  if (name == "auto") return model.quantization ? *model.quantization : plain(own);
  if (name == "fp32") return plain(Dtype::fp32);
  if (name == "bf16") return plain(Dtype::bf16);
  if (name == "fp16") return plain(Dtype::fp16);
  if (name == "fp8") return eight_bit("fp8", Dtype::fp8, 0);
  if (name == "fp8-block") return fp8_block_format(usual_block);
  // One fp16 scale per output column, spread over the `hidden` inputs that most columns have.
  const double per_column = 2.0 / static_cast<double>(model.hidden);
  if (name == "int8") return eight_bit("int8", own, per_column);
  if (name == "int8-w8a8") return eight_bit("int8-w8a8", Dtype::int8, per_column);
  if (name == "int4-awq" || name == "int4-gptq") {
    return grouped_format(name, 4, usual_group, true, own);
  }
  if (name == "nf4") return nf4(own);
  return std::nullopt;
}

std::vector<std::string> weight_format_names() {
  return {"auto", "bf16",      "fp16",     "fp32",      "fp8", "fp8-block",
          "int8", "int8-w8a8", "int4-awq", "int4-gptq", "nf4"};
}

}  // namespace gpucap::models
