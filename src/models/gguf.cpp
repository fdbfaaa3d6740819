#include "gguf.hpp"

#include "matrices.hpp"

namespace gpucap::models {
namespace {

// Published block layouts of GGUF (ggml-quants): bytes of a block with its scales x 8 / weights.
constexpr double q8_0_bits = 34.0 * 8 / 32;
constexpr double q4_k_bits = 144.0 * 8 / 256;
constexpr double q6_k_bits = 210.0 * 8 / 256;

// Q4_K_M stores values and down-projections in 6 bits in the first and last eighth of the layers
// and in every third one between (llama.cpp, llama_tensor_get_type).
double share_of_layers_in_6_bits(std::int64_t layers) {
  const auto eighth = layers / 8;
  std::int64_t many = 0;
  for (std::int64_t i = 0; i < layers; ++i) {
    if (i < eighth || i >= 7 * layers / 8 || (i - eighth) % 3 == 2) ++many;
  }
  return static_cast<double>(many) / static_cast<double>(layers);
}

bool is_down(const Matrix& matrix) {
  return matrix.name == "down" || matrix.name == "shared_down";
}

// Mean bits of the matrices that shrink.
double q4_k_m_bits(const Transformer& m) {
  const auto whole = pipeline_stages(m, 1).front();
  double all = 0, favoured = 0;
  for (const auto& matrix : layer_matrices(m, 1)) {
    if (!matrix.quantised) continue;
    const auto layers = static_cast<double>(layers_in(whole, matrix.where));
    const double weights = layers * static_cast<double>(matrix.n * matrix.k);
    all += weights;
    if (is_down(matrix)) favoured += weights;
    if (matrix.name == "qkv") {
      favoured += layers * static_cast<double>(m.kv_heads * m.head_dim * m.hidden);
    }
  }
  if (m.experts) {
    const double experts =
        static_cast<double>(whole.sparse * m.experts->routed * expert_weights(m, 1));
    all += experts;
    favoured += experts / 3;
  }
  const double share = share_of_layers_in_6_bits(m.layers) * favoured / all;
  return q4_k_bits + (q6_k_bits - q4_k_bits) * share;
}

}  // namespace

std::optional<WeightFormat> gguf_format(const Transformer& model, const std::string& name) {
  WeightFormat format;
  format.name = name;
  format.kernels = ProductKernels::gguf;
  format.compute = model.dtype;
  if (name == "q8_0") {
    format.bits_per_weight = q8_0_bits;
    format.embedding_bits = format.head_bits = q8_0_bits;
    return format;
  }
  if (name != "q4_k_m") return std::nullopt;
  format.bits_per_weight = q4_k_m_bits(model);
  format.embedding_bits = q4_k_bits;
  format.head_bits = q6_k_bits;
  return format;
}

}  // namespace gpucap::models
