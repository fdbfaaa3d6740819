#pragma once

#include "gpucap/core/dtype.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

namespace gpucap::training {

/// What is trained: all weights; adapters beside frozen 16-bit weights; adapters beside frozen
/// 4-bit weights.
enum class Method : std::uint8_t { full, lora, qlora };

/// How trained weights are kept beside the arithmetic.
enum class Weights : std::uint8_t {
  mixed,  ///< 16 bits, and an fp32 master copy among the optimiser's states
  amp,    ///< fp32, narrowed to 16 bits for each product (autocast)
  pure,   ///< 16 bits, and so are gradients and states
  full,   ///< fp32 throughout; arithmetic in fp32 or tf32
};

enum class Optimizer : std::uint8_t { adamw, adamw_8bit, adamw_8bit_paged, sgd, sgd_momentum };

/// What is thrown away after the forward pass and computed again in the backward pass: nothing;
/// attention scores (what flash attention does by itself); all but the input of each layer.
enum class Recompute : std::uint8_t { none, selective, full };

/// What host memory holds instead of the card: nothing, gradients' optimiser states with the
/// update itself, or the weights as well.
enum class Offload : std::uint8_t { none, optimizer, params };

enum class AttentionKernel : std::uint8_t { flash, unfused };

/// The words of options and scenario files: "adamw-8bit", ...
std::string_view name(Method method);
std::string_view name(Weights weights);
std::string_view name(Optimizer optimizer);
std::string_view name(Recompute recompute);
std::string_view name(Offload offload);
std::string_view name(AttentionKernel kernel);

/// Low-rank adapters, two matrices of `rank` beside each target.
struct Adapters {
  enum class Targets : std::uint8_t { query_value, attention, all_linear };
  std::int64_t rank = 16;
  Targets targets = Targets::all_linear;
  bool dropout = true;      ///< keeps a mask and a copy of each target's input
  bool embeddings = false;  ///< trains full copies of embedding and head besides
};
std::string_view name(Adapters::Targets targets);

/// The 4-bit base of qlora: NF4 with one scale per 64 weights, its scales quantised again or not.
struct QuantisedBase {
  bool double_quantisation = true;
};

/// One training job, as the user of a trainer states it. Sequence length is in tokens and means
/// nothing for convolution nets; micro_batch is in samples (sequences, images) per data-parallel
/// rank; grad_accum counts micro-batches per step.
struct Settings {
  Method method = Method::full;
  Weights weights = Weights::mixed;
  Dtype arithmetic = Dtype::bf16;  ///< of matrix products: bf16, fp16, tf32, fp32, fp8
  Dtype gradients = Dtype::bf16;
  Optimizer optimizer = Optimizer::adamw;
  bool fused_optimizer = false;  ///< updates within the backward pass: one gradient at a time
  std::int64_t seq_len = 2048;
  std::int64_t micro_batch = 1;
  std::int64_t grad_accum = 1;
  Recompute recompute = Recompute::none;
  AttentionKernel attention = AttentionKernel::flash;
  Offload offload = Offload::none;
  Adapters adapters;
  QuantisedBase base;
};

/// How a job is spread over cards: data x tensor x pipeline x context of them; experts are dealt
/// out over data-parallel ranks.
struct Layout {
  int data = 1, tensor = 1, pipeline = 1, context = 1, expert = 1;
  int interleave = 1;             ///< chunks of layers per pipeline stage
  int zero = 0;                   ///< ZeRO stage; 3 = FSDP full shard
  bool sequence_parallel = true;  ///< with tensor parallelism: norms and residuals are cut as well

  [[nodiscard]] int cards() const { return data * tensor * pipeline * context; }
};

/// The degrees by the words of options and scenario files: "data_parallel", ..., "zero".
std::array<std::pair<std::string_view, int>, 7> degrees_of(const Layout& layout);

}  // namespace gpucap::training
