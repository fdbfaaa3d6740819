#pragma once

#include "gpucap/models/transformer.hpp"
#include "gpucap/perf/kernel.hpp"
#include "gpucap/training/question.hpp"

#include "attention_pass.hpp"
#include "products.hpp"
#include "rank_weights.hpp"

namespace gpucap::training {

/// Kernels of one stage for one micro-batch on one rank, exchanges left out.
struct StagePass {
  perf::Work forward, backward, recompute;
  Seconds attention_forward, attention_backward;  ///< of which attention of all layers
  Seconds host;                                   ///< to launch all of it

  [[nodiscard]] perf::Work work() const {
    perf::Work sum = forward;
    sum += backward;
    sum += recompute;
    return sum;
  }
  /// Launches run ahead of the card where they are the shorter part:
  /// (work^3 + host^3)^(1/3), the form of docs/models/elementwise.md.
  [[nodiscard]] Seconds time() const;
};

/// Prices stages of a transformer. Question and model must outlive this.
class LayerPass {
 public:
  LayerPass(const Question& question, const models::Transformer& model);

  [[nodiscard]] StagePass operator()(const models::Stage& stage) const;
  /// Tokens of one micro-batch on this rank.
  [[nodiscard]] std::int64_t tokens() const { return tokens_; }

 private:
  void add_products(const models::Stage& stage, StagePass& pass) const;
  void add_head(StagePass& pass) const;
  void add_adapters(const models::Stage& stage, StagePass& pass) const;
  void add_experts(const models::Stage& stage, StagePass& pass) const;
  void add_attention(const models::Stage& stage, StagePass& pass) const;
  void add_streams(const models::Stage& stage, StagePass& pass) const;
  void add_weight_traffic(const models::Stage& stage, StagePass& pass) const;
  [[nodiscard]] perf::Work stream(Bytes per_token, double layers) const;
  [[nodiscard]] int passes() const;

  const Question* question_;
  const models::Transformer* model_;
  std::int64_t tokens_;
  bool trains_weights_;
  bool recomputes_;
  Products products_;
  AttentionPass attention_;  ///< of one layer
  AttentionPass windowed_;   ///< of one layer with a window
};

}  // namespace gpucap::training
