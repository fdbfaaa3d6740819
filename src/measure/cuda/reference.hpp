#pragma once

#include <cstdint>
#include <vector>

#include "kernels/numbers.hpp"

namespace gpucap::measure::cuda {

/// What the bits of a number are worth; infinities and NaN included.
double decoded(Number number, std::uint32_t bits);

/// Positions in [0, all): every one when there are no more than `most`, else `most` drawn ones.
std::vector<std::int64_t> sampled(std::int64_t all, std::int64_t most, std::uint64_t seed);

/// Random numbers of one operand as the host knows them.
struct Drawn {
  Number number = Number::fp16;
  std::uint64_t seed = 0;
  double operator()(std::int64_t index) const {
    return drawn_value(number, seed, static_cast<std::uint64_t>(index));
  }
};

/// Largest deviation from the reference over the reference's scale.
class Deviation {
 public:
  void add(double result, double reference);
  [[nodiscard]] double relative() const;

 private:
  double worst_ = 0, scale_ = 0;
};

}  // namespace gpucap::measure::cuda
