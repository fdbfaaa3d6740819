#include "reference.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>

namespace gpucap::measure::cuda {

double decoded(Number number, std::uint32_t bits) {
  const NumberFormat f = format_of(number);
  if (f.exponent_bits == 0) return static_cast<std::int8_t>(bits);
  const std::uint32_t mantissa = bits & ((1U << f.mantissa_bits) - 1);
  const int top = (1 << f.exponent_bits) - 1, bias = top / 2;
  const int exponent = static_cast<int>(bits >> f.mantissa_bits) & top;
  const double sign = (bits >> (f.exponent_bits + f.mantissa_bits) & 1U) != 0 ? -1 : 1;
  if (number == Number::e4m3 && exponent == top && mantissa == 7) {
    return std::numeric_limits<double>::quiet_NaN();  // its only special number
  }
  if (number != Number::e4m3 && exponent == top) {
    return mantissa != 0 ? std::numeric_limits<double>::quiet_NaN()
                         : sign * std::numeric_limits<double>::infinity();
  }
  const double fraction = std::ldexp(mantissa, -f.mantissa_bits) + (exponent == 0 ? 0 : 1);
  return sign * std::ldexp(fraction, std::max(exponent, 1) - bias);
}

std::vector<std::int64_t> sampled(std::int64_t all, std::int64_t most, std::uint64_t seed) {
  std::vector<std::int64_t> positions(static_cast<std::size_t>(std::min(all, most)));
  if (all <= most) {
    std::iota(positions.begin(), positions.end(), 0);
    return positions;
  }
  std::uint64_t index = 0;
  for (std::int64_t& position : positions) {
    position =
        static_cast<std::int64_t>(mixed(mixed(seed) + ++index) % static_cast<std::uint64_t>(all));
  }
  return positions;
}

void Deviation::add(double result, double reference) {
  const double deviation = std::abs(result - reference);
  worst_ = std::isfinite(deviation) ? std::max(worst_, deviation)
                                    : std::numeric_limits<double>::infinity();
  scale_ = std::max(scale_, std::abs(reference));
}

double Deviation::relative() const {
  return scale_ > 0 ? worst_ / scale_ : worst_;
}

}  // namespace gpucap::measure::cuda
