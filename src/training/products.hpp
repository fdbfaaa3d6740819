#pragma once

#include "gpucap/models/transformer.hpp"
#include "gpucap/perf/kernel.hpp"
#include "gpucap/training/question.hpp"

#include <cstdint>

namespace gpucap::training {

/// Bytes of a number in activations: 4 in fp32 and tf32, else 2.
double activation_bytes(const Settings& settings);

/// The card's ceilings for arithmetic in `dtype`. Throws std::out_of_range: no such peak is known.
perf::Card card_for(const Question& question, Dtype dtype);

/// Matrix products by the card's fit in the arithmetic of the settings, times what the software
/// takes. fp8: by the card's fp8 fit, or the 16-bit one at the fp8 peak; products that stay in 16
/// bits (head, adapters) are told so. The question must outlive this.
class Products {
 public:
  Products(const Question& question, const models::Transformer& model);

  enum class Precision : std::uint8_t { as_set, wide };
  /// [m, k] x [k, n]
  [[nodiscard]] perf::Work operator()(std::int64_t m, std::int64_t n, std::int64_t k,
                                      Precision precision = Precision::as_set) const;
  /// Arithmetic alone of a batch of products whose operands and results are counted elsewhere.
  [[nodiscard]] perf::Work arithmetic(std::int64_t m, std::int64_t n, std::int64_t k) const;
  /// One product of the routed experts of a layer: forward, either gradient.
  [[nodiscard]] perf::Work experts(const perf::ExpertShape& shape) const;

 private:
  const Question* question_;
  models::WeightFormat fp8_;
  perf::Card card_, wide_card_;
  double width_;
};

}  // namespace gpucap::training
