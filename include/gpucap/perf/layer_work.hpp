#pragma once

#include "gpucap/perf/formatted_gemm.hpp"
#include "gpucap/perf/gemm_cost.hpp"
#include "gpucap/perf/step_cost.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace gpucap::perf {

struct SeenChunks;

/// The kernels of one step on one rank, priced one group at a time. StepCost turns the results
/// into integers; nothing here remembers a batch. The model's products and streaming kernels are
/// compiled once, for all that does not depend on tokens. Model and calibration must outlive this.
class LayerWork {
 public:
  explicit LayerWork(const StepCostInputs& inputs);

  /// Everything whose cost depends on the number of tokens only: products, experts, element-wise
  /// kernels and the all-reduces of all layers, the embedding, and handing over to the next stage.
  [[nodiscard]] Work tokens(std::int64_t padded_tokens) const;
  /// Output head, sampler and the gathering of logits.
  [[nodiscard]] Work sampled(std::int64_t sequences) const;
  /// Attention of all layers when a step holds prompt pieces.
  [[nodiscard]] Work attention(const Batch& batch) const;
  /// Attention of one kind of layers in a decode-only step of n sequences, times their number.
  [[nodiscard]] DecodeAttentionCost decode_attention(std::int64_t n, bool windowed) const;
  [[nodiscard]] std::int64_t layers_with(bool windowed) const;

 private:
  struct Product {
    FormattedGemmCost cost;
    double count;  ///< layers
  };
  struct Stream {
    double passes, width, count;  ///< of one kernel: over `width` numbers per token, in all layers
  };

  [[nodiscard]] Product compiled(const models::Gemm& product) const;
  [[nodiscard]] GemmCost compiled_head() const;
  [[nodiscard]] std::vector<Stream> streams() const;
  [[nodiscard]] Work products(std::int64_t tokens) const;
  [[nodiscard]] Work experts(std::int64_t tokens) const;
  [[nodiscard]] Work expert_layer(const ExpertShape& shape) const;
  [[nodiscard]] Work classified(std::int64_t sequences) const;
  [[nodiscard]] Work streaming(std::int64_t tokens) const;
  [[nodiscard]] Work reductions(std::int64_t tokens) const;
  [[nodiscard]] Work handover(std::int64_t tokens) const;
  [[nodiscard]] Work attention_layer(const SeenChunks& chunks, const Decodes& decodes) const;
  [[nodiscard]] Work latent_context(std::span<const Chunk> chunks) const;

  const models::Transformer* model_;
  const Calibration* calibration_;
  const FormatFit* format_;  ///< of the weights' kernels; null: the 16-bit fit in its place
  std::optional<ExpertFit> experts_;  ///< with the fractions of the weights' kernels
  models::WeightFormat weights_;
  int tensor_parallel_;
  models::Stage stage_;
  bool expert_parallel_;
  std::optional<CollectiveFit> all_reduce_, all_gather_, send_recv_;
  bool mixed_launch_;
  Card matrix_card_;     ///< ceilings for products with quantised or plain weights
  Card attention_card_;  ///< attention computes in the model's own dtype
  Card decode_card_;     ///< the peak that attention reaches, for decodes that arithmetic limits
  AttentionShape attention_;
  AttentionShape prefill_;  ///< latent attention: prompts run over whole heads, not over latents
  std::vector<Product> products_;
  std::optional<std::size_t> latent_up_;  ///< of products_: projects cached latents up again
  GemmCost head_;
  std::vector<Stream> streams_;
};

}  // namespace gpucap::perf
