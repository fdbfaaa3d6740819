#include "kernels/numbers.hpp"

#include <cmath>
#include <limits>

#include "reference.hpp"
#include "support/catch.hpp"
#include "warp.hpp"

using namespace gpucap::measure::cuda;

TEST_CASE("every integer that is drawn is exact in its format") {
  for (const Number number :
       {Number::fp16, Number::bf16, Number::e4m3, Number::int8, Number::fp32}) {
    const NumberFormat format = format_of(number);
    const int bound = 1 << (format.drawn_bits - 1);
    for (int integer = -bound; integer < bound; ++integer) {
      const double value = format.exponent_bits == 0 ? integer : integer / double{1.0 * bound};
      REQUIRE(decoded(number, encoded(number, integer)) == value);
    }
  }
}

TEST_CASE("decoding follows the formats at their ends") {
  // Known bit patterns: 65504 is the largest FP16 number, 2^-24 its smallest; 448 that of E4M3,
  // 2^-9 its smallest.
  CHECK(decoded(Number::fp16, 0x7BFF) == 65504);
  CHECK(decoded(Number::fp16, 0x0001) == std::ldexp(1.0, -24));
  CHECK(decoded(Number::fp16, 0xC000) == -2);
  CHECK(std::isinf(decoded(Number::fp16, 0x7C00)));
  CHECK(std::isnan(decoded(Number::fp16, 0x7C01)));
  CHECK(decoded(Number::bf16, 0x3F80) == 1);
  CHECK(decoded(Number::bf16, 0xC049) == -3.140625);
  CHECK(decoded(Number::e4m3, 0x7E) == 448);
  CHECK(decoded(Number::e4m3, 0x01) == std::ldexp(1.0, -9));
  CHECK(std::isnan(decoded(Number::e4m3, 0x7F)));
  CHECK(decoded(Number::int8, 0x80) == -128);
  CHECK(decoded(Number::fp32, 0x40490FDB) == Approx(3.14159274101257324));
}

TEST_CASE("drawn numbers use their whole range and differ by seed") {
  // 4096 numbers of 5 bits: each of the 32 values is expected 128 times, deviation 11.
  std::array<int, 32> counts{};
  int same = 0;
  for (std::uint64_t i = 0; i < 4096; ++i) {
    ++counts[static_cast<std::size_t>(drawn(1, i, 5) + 16)];
    same += drawn(1, i, 5) == drawn(2, i, 5) ? 1 : 0;
  }
  for (const int count : counts) CHECK(std::abs(count - 128) < 60);
  CHECK(std::abs(same - 128) < 60);
}

TEST_CASE("rows of a matrix start at 16 bytes and end in zeros") {
  // 5 numbers of 2 bytes: 8 to a row.
  const Matrix matrix = aligned_matrix(3, 5, 2);
  CHECK(matrix.pitch == 8);
  CHECK(aligned_matrix(1, 16, 1).pitch == 16);
  CHECK(aligned_matrix(1, 17, 1).pitch == 32);
  CHECK(aligned_matrix(1, 5, 4).pitch == 8);
  for (std::int64_t at = 0; at < 24; ++at) {
    const std::int64_t row = at / 8, column = at % 8;
    const int expected =
        column < 5 ? drawn(9, static_cast<std::uint64_t>(row * 5 + column), 12) : 0;
    CHECK(drawn_at(matrix, 9, at, 12) == expected);
  }
}

TEST_CASE("a deviation is relative to the largest reference, and NaN is none too small") {
  Deviation deviation;
  deviation.add(1.5, 1);
  deviation.add(-4, -4);
  CHECK(deviation.relative() == 0.125);  // 0.5 / 4
  deviation.add(std::numeric_limits<double>::quiet_NaN(), 1);
  deviation.add(1, 1);
  CHECK(std::isinf(deviation.relative()));
}

TEST_CASE("a sample is everything when that is little") {
  CHECK(sampled(3, 5, 1) == std::vector<std::int64_t>{0, 1, 2});
  const auto some = sampled(1000, 50, 1);
  CHECK(some.size() == 50);
  CHECK(some == sampled(1000, 50, 1));
  CHECK(some != sampled(1000, 50, 2));
  for (const std::int64_t at : some) CHECK((at >= 0 && at < 1000));
}
