#pragma once

#include "gpucap/core/dtype.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gpucap::models {

/// Mixture of experts in the MLP of all layers but the first `dense_layers`.
struct Experts {
  std::int64_t routed = 0;      ///< experts to choose from
  std::int64_t per_token = 0;   ///< chosen for each token
  std::int64_t shared = 0;      ///< always active
  std::int64_t ffn = 0;         ///< intermediate size of one routed expert
  std::int64_t shared_ffn = 0;  ///< intermediate size of all shared experts together
  std::int64_t dense_layers = 0;
  std::int64_t router_bias = 0;  ///< 1 where the router keeps a correction bias per expert
  bool shared_gate = false;      ///< a gate of `hidden` weights on the shared expert
  bool bias = false;             ///< biases in the experts' matrices (gpt-oss)
};

/// Multi-head latent attention: what is cached per token is a latent of kv_lora + qk_rope numbers.
struct LatentAttention {
  std::int64_t q_lora = 0;  ///< 0: the query is projected directly
  std::int64_t kv_lora = 0;
  std::int64_t qk_nope = 0;
  std::int64_t qk_rope = 0;
  std::int64_t v_head = 0;
};

/// Gated delta rule layers of a hybrid: they keep a fixed state per sequence instead of a KV cache.
struct RecurrentAttention {
  std::int64_t key_heads = 0;
  std::int64_t key_head_dim = 0;
  std::int64_t value_heads = 0;
  std::int64_t value_head_dim = 0;
  std::int64_t conv_kernel = 0;  ///< width of the causal convolution over queries, keys, values
};

/// The family of kernels that multiplies with weights of a format; each has a fit of its own.
enum class ProductKernels : std::uint8_t {
  plain,            ///< weights in the type that the arithmetic uses
  fp8,              ///< fp8 arithmetic, one scale per matrix; activations narrowed on the way
  fp8_block,        ///< the same with scales per block of weights
  int8_w8a8,        ///< int8 arithmetic
  fp8_weight_only,  ///< weights widened to 16 bits inside the product
  int8_weight_only,
  int4_weight_only,
  fp4_weight_only,
  gguf,  ///< llama.cpp's own
};
std::string_view name(ProductKernels kernels);
std::vector<ProductKernels> quantised_kernels();  ///< all but plain

/// Whether the arithmetic stays in 16 bits: such a product is never faster than a plain one once
/// arithmetic decides.
constexpr bool widens_weights(ProductKernels kernels) {
  return kernels >= ProductKernels::fp8_weight_only && kernels != ProductKernels::gguf;
}

/// How weights are stored when not in the model's own dtype.
struct WeightFormat {
  std::string name;             ///< "bf16", "fp8", "int8", "int4-awq", "int4-gptq"
  double bits_per_weight = 16;  ///< of the quantised matrices, without scales
  double scale_bytes_per_weight = 0;
  Dtype compute = Dtype::bf16;  ///< arithmetic of the matrix products
  std::int64_t group =
      0;  ///< weights of a row that share a scale; 0: the format has no such groups
  ProductKernels kernels = ProductKernels::plain;
  bool experts_only = false;  ///< all other matrices stay in the model's own dtype (MXFP4)
  std::optional<double> embedding_bits, head_bits;  ///< where the format shrinks them too (GGUF)
};

/// Bytes of a quantised weight with its share of the scales.
constexpr double bytes_per_weight(const WeightFormat& format) {
  return format.bits_per_weight / 8 + format.scale_bytes_per_weight;
}

/// A decoder-only language model, or an encoder, as its config.json describes it.
struct Transformer {
  std::string id;            ///< "llama-3.1-8b"
  std::string architecture;  ///< "LlamaForCausalLM"
  std::int64_t layers = 0;
  std::int64_t hidden = 0;
  std::int64_t ffn = 0;  ///< intermediate size of dense layers
  std::int64_t heads = 0;
  std::int64_t kv_heads = 0;
  std::int64_t head_dim = 0;
  std::int64_t vocab = 0;
  std::int64_t max_positions = 0;
  Dtype dtype = Dtype::bf16;
  bool tied_embeddings = false;
  bool gated_mlp = true;  ///< gate and up projections (SwiGLU) instead of one
  bool qkv_bias = false;
  bool linear_bias = false;        ///< bias on every other linear layer too (GPT)
  bool qk_norm = false;            ///< per-head norms of queries and keys (Qwen3)
  bool attention_gate = false;     ///< queries come with a gate of their own size (Qwen3.5)
  bool learned_positions = false;  ///< a trained position table (GPT)
  bool norm_bias = false;          ///< LayerNorm with bias instead of RMSNorm
  bool output_bias = false;        ///< bias on the attention output where linear_bias is not set
  bool attention_sinks = false;    ///< one trained number per head beside the scores (gpt-oss)
  bool embedding_norm = false;     ///< a norm after the embedding (BERT, BLOOM)
  std::int64_t extra_norms = 0;    ///< norms over `hidden` per layer beyond the usual two (Gemma)
  bool encoder = false;  ///< each token sees all others: no KV cache, no output head, no decoding
  std::int64_t token_types = 0;                ///< rows of the segment table of an encoder
  bool pooler = false;                         ///< a square matrix on the first token of an encoder
  std::int64_t classes = 0;                    ///< outputs of a classification head (rerankers)
  std::optional<std::int64_t> sliding_window;  ///< in tokens, where it is active
  std::int64_t sliding_layers = 0;             ///< how many layers use the window
  std::optional<std::int64_t> rotary_dim;      ///< rotated part of a head, where not all of it
  std::int64_t recurrent_layers = 0;       ///< layers that keep a fixed state and no KV (hybrids)
  std::int64_t recurrent_state_bytes = 0;  ///< per sequence and recurrent layer
  std::optional<Experts> experts;
  std::optional<LatentAttention> latent;
  std::optional<RecurrentAttention> recurrent;  ///< shapes of the recurrent layers
  std::optional<WeightFormat> quantization;     ///< when the checkpoint itself is quantised
  std::optional<std::int64_t> published_parameters;
  std::vector<std::string> assumed;  ///< fields that the config left out, and what was taken
  std::string source;
};

/// Number of trained weights; a tied embedding counts once. Draft (MTP) modules and vision towers
/// are not part of it.
std::int64_t parameters(const Transformer& model);

/// Weights that one token passes through (routed experts: the chosen ones only).
std::int64_t active_parameters(const Transformer& model);

/// Weights that one token is multiplied with: active ones with the output head, tied or not, but
/// without the embedding look-up, norms and biases. Twice this is the FLOPs of a forward token.
std::int64_t matmul_parameters(const Transformer& model);

/// One matrix product per token batch on one rank: [tokens, k] x [k, n], run `count` times a step.
struct Gemm {
  enum class Role { attention, mlp, router, experts, head };
  std::string name;  ///< "qkv", "o", "gate_up", "down", ...
  Role role = Role::mlp;
  std::int64_t n = 0;
  std::int64_t k = 0;
  std::int64_t count = 0;  ///< layers of the whole model that hold it; a stage runs its share
  bool quantised = true;   ///< whether a quantised checkpoint shrinks it
};

/// Matrix products of the dense parts of one step on one of `tensor_parallel` ranks, column and
/// row splits applied; the output head is separate because it runs once per sampled sequence.
/// Routed experts are not in the list: perf prices them by tokens per expert. Latent attention
/// lists its up-projection once as "kv_b" [kv_lora x heads (qk_nope + v_head)]: a decode that
/// absorbs it into query and output does the same products on the same bytes, head by head.
std::vector<Gemm> layer_gemms(const Transformer& model, int tensor_parallel);
Gemm head_gemm(const Transformer& model, int tensor_parallel);

/// Why the model cannot be cut over that many ranks ("32 heads cannot be split over 3 cards");
/// nothing when it can. The format adds the scale groups, which a cut must not split. With
/// `expert_parallel` routed experts are dealt out whole.
std::optional<std::string> tensor_parallel_problem(const Transformer& model, int tensor_parallel,
                                                   bool expert_parallel = false);
std::optional<std::string> tensor_parallel_problem(const Transformer& model,
                                                   const WeightFormat& format, int tensor_parallel,
                                                   bool expert_parallel = false);
std::optional<std::string> pipeline_parallel_problem(const Transformer& model,
                                                     int pipeline_parallel);

/// What one pipeline stage holds.
struct Stage {
  std::int64_t layers = 0;
  std::int64_t attending = 0;  ///< layers with a KV cache
  std::int64_t recurrent = 0;
  std::int64_t sliding = 0;  ///< attending layers with a window
  std::int64_t dense = 0;    ///< layers with a plain MLP
  std::int64_t sparse = 0;   ///< layers with routed experts
  bool first = false;        ///< holds the embedding
  bool last = false;         ///< holds the final norm and the output head
};

/// Equal shares; left-over layers go one each to the stages counted back from the last but one
/// (vLLM). Attending layers of a hybrid are spread evenly, the last of each group attends.
std::vector<Stage> pipeline_stages(const Transformer& model, int pipeline_parallel);

/// Matrix products of a stage's layers on one rank.
std::vector<Gemm> layer_gemms(const Transformer& model, const Stage& stage, int tensor_parallel);

/// KV heads held by one rank: never fewer than one, so a split beyond kv_heads replicates.
std::int64_t kv_heads_on_rank(const Transformer& model, int tensor_parallel);

/// Layers that cache keys and values (or a latent).
std::int64_t attending_layers(const Transformer& model);

/// Bytes of KV cache per token and attending layer on one rank. A latent is held by every rank.
std::int64_t kv_bytes_per_token_and_layer(const Transformer& model, Dtype kv_dtype,
                                          int tensor_parallel);

/// Bytes of KV cache per token on one rank, all layers that grow with the sequence, window not
/// applied. The only source of KV sizes, for capacity and for timing alike.
std::int64_t kv_bytes_per_token(const Transformer& model, Dtype kv_dtype, int tensor_parallel);

/// Bytes that one sequence of `tokens` holds on one rank: window layers keep min(tokens, window),
/// recurrent layers their state.
std::int64_t kv_bytes_of_sequence(const Transformer& model, Dtype kv_dtype, int tensor_parallel,
                                  std::int64_t tokens);

/// State of the recurrent layers per sequence on one rank; 0 without such layers.
std::int64_t recurrent_state_bytes(const Transformer& model, int tensor_parallel);

/// Bytes of weights on the fullest rank of tensor_parallel x pipeline_parallel: quantised matrices
/// with scales, embeddings, head, router and norms in the model's own dtype, all experts.
double weight_bytes(const Transformer& model, const WeightFormat& format, int tensor_parallel,
                    int pipeline_parallel);
/// The same for the ranks of one stage.
double weight_bytes_on_stage(const Transformer& model, const WeightFormat& format,
                             int tensor_parallel, const Stage& stage, bool expert_parallel = false);

/// Tables of sines and cosines, the same on every rank: max positions x rotated dimension x 2 B.
/// Engines log them as weights; `weight_bytes` does not hold them.
std::int64_t rotary_table_bytes(const Transformer& model);

/// Format by name for this model ("auto" = as the checkpoint has it); nothing when unknown.
std::optional<WeightFormat> weight_format(const Transformer& model, const std::string& name);
std::vector<std::string> weight_format_names();

/// Integer or 4-bit weights in groups of `group` along the input, each with an fp16 scale and,
/// where `zero_points`, a zero point of the weight's own width. Checkpoints choose their groups.
WeightFormat grouped_format(std::string name, int bits, std::int64_t group, bool zero_points,
                            Dtype compute);
/// fp8 with one fp32 scale per block of block x block weights (DeepSeek-V3, Qwen3 FP8).
WeightFormat fp8_block_format(std::int64_t block);

}  // namespace gpucap::models
