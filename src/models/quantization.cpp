#include "gpucap/models/transformer.hpp"

#include <utility>

#include "gguf.hpp"

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
WeightFormat eight_bit(std::string name, ProductKernels kernels, Dtype compute,
                       double scale_bytes_per_weight) {
  WeightFormat format;
  format.name = std::move(name);
  format.kernels = kernels;
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
  format.kernels = ProductKernels::int4_weight_only;
  format.bits_per_weight = 4;
  format.scale_bytes_per_weight = 1.0 / 64 + 4.0 / (64 * 256);
  format.compute = compute;
  return format;
}

// OCP Microscaling Formats v1.0, section 5: blocks of 32 e2m1 numbers with one 8-bit scale. The
// checkpoints that use it (gpt-oss) shrink the experts only.
WeightFormat mxfp4(Dtype compute) {
  WeightFormat format;
  format.name = "mxfp4";
  format.kernels = ProductKernels::fp4_weight_only;
  format.bits_per_weight = 4;
  format.scale_bytes_per_weight = 1.0 / 32;
  format.compute = compute;
  format.group = 32;
  format.experts_only = true;
  return format;
}

constexpr std::int64_t usual_group = 128;  // AutoAWQ and AutoGPTQ checkpoints
constexpr std::int64_t usual_block = 128;  // DeepSeek-V3 report, section 3.3

}  // namespace

std::string_view name(ProductKernels kernels) {
  constexpr std::string_view names[] = {
      "plain", "fp8", "fp8-block", "int8-w8a8", "fp8-weight-only", "int8", "int4", "fp4", "gguf"};
  return names[static_cast<std::size_t>(kernels)];
}

std::vector<ProductKernels> quantised_kernels() {
  using K = ProductKernels;
  return {K::fp8,
          K::fp8_block,
          K::int8_w8a8,
          K::fp8_weight_only,
          K::int8_weight_only,
          K::int4_weight_only,
          K::fp4_weight_only,
          K::gguf};
}

WeightFormat grouped_format(std::string name, int bits, std::int64_t group, bool zero_points,
                            Dtype compute) {
  WeightFormat format;
  format.name = std::move(name);
  format.kernels = bits == 4 ? ProductKernels::int4_weight_only : ProductKernels::int8_weight_only;
  format.bits_per_weight = bits;
  format.compute = compute;
  format.group = group;
  const double zero_bytes = zero_points ? bits / 8.0 : 0.0;
  format.scale_bytes_per_weight = (2.0 + zero_bytes) / static_cast<double>(group);
  return format;
}

WeightFormat fp8_block_format(std::int64_t block) {
  auto format = eight_bit("fp8-block", ProductKernels::fp8_block, Dtype::fp8,
                          4.0 / static_cast<double>(block * block));
  format.group = block;
  return format;
}

std::optional<WeightFormat> weight_format(const Transformer& model, const std::string& name) {
  const auto own = model.dtype;
  if (name == "auto") return model.quantization ? *model.quantization : plain(own);
  if (name == "fp32") return plain(Dtype::fp32);
  if (name == "bf16") return plain(Dtype::bf16);
  if (name == "fp16") return plain(Dtype::fp16);
  if (name == "fp8") return eight_bit("fp8", ProductKernels::fp8, Dtype::fp8, 0);
  if (name == "fp8-block") return fp8_block_format(usual_block);
  // One fp16 scale per output column, spread over the `hidden` inputs that most columns have.
  const double per_column = 2.0 / static_cast<double>(model.hidden);
  if (name == "int8") {
    return eight_bit("int8", ProductKernels::int8_weight_only, own, per_column);
  }
  if (name == "int8-w8a8") {
    return eight_bit("int8-w8a8", ProductKernels::int8_w8a8, Dtype::int8, per_column);
  }
  if (name == "int4-awq" || name == "int4-gptq") {
    return grouped_format(name, 4, usual_group, true, own);
  }
  if (name == "nf4") return nf4(own);
  if (name == "mxfp4") return mxfp4(own);
  return gguf_format(model, name);
}

std::vector<std::string> weight_format_names() {
  return {"auto",      "bf16",     "fp16",      "fp32", "fp8",   "fp8-block", "int8",
          "int8-w8a8", "int4-awq", "int4-gptq", "nf4",  "mxfp4", "q8_0",      "q4_k_m"};
}

}  // namespace gpucap::models
