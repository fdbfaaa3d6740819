#pragma once

#include <cstdint>
#include <vector>

#include "kernels.hpp"

namespace gpucap::measure::cpu {

/// Largest deviation from what it should be, over the largest of these.
class Deviation {
 public:
  void add(double is, double should);
  [[nodiscard]] double relative() const { return scale_ > 0 ? largest_ / scale_ : largest_; }

 private:
  double largest_ = 0, scale_ = 0;
};

// What the kernels should give, in double precision and the plainest order, for a spread of up to
// some hundred of the results.
double product_deviation(const std::vector<float>& in, const std::vector<float>& weights,
                         const std::vector<float>& out, std::int64_t m, std::int64_t n,
                         std::int64_t k);
double prefill_deviation(const Heads& heads, const std::vector<float>& queries,
                         const std::vector<float>& keys, const std::vector<float>& values,
                         const std::vector<float>& out, std::int64_t tokens);
/// Of sequence 0, whose keys and values [context, kv_heads * dim] are given as they were written.
double decode_deviation(const Heads& heads, const std::vector<float>& queries,
                        const std::vector<float>& keys, const std::vector<float>& values,
                        const std::vector<float>& out, std::int64_t context);

}  // namespace gpucap::measure::cpu
