#include "gpucap/hardware/gpu.hpp"

#include <stdexcept>

#include "support/catch.hpp"

using namespace gpucap;
using hardware::Gpu;

TEST_CASE("FP16 stands in for an unpublished BF16 peak and the reverse, nothing for FP8") {
  Gpu gpu;
  gpu.id = "card";
  gpu.dense_peak = {{Dtype::fp16, 65 * unit::TFLOP_per_s}};
  CHECK(gpu.peak(Dtype::bf16).in(unit::TFLOP_per_s) == Approx(65));
  gpu.dense_peak = {{Dtype::bf16, 312 * unit::TFLOP_per_s}};
  CHECK(gpu.peak(Dtype::fp16).in(unit::TFLOP_per_s) == Approx(312));
  CHECK_THROWS_AS(gpu.peak(Dtype::fp8), std::out_of_range);
}

TEST_CASE("a card of BF16 computes in FP16 too, not the reverse") {
  Gpu ampere, turing;
  ampere.dense_peak = {{Dtype::bf16, 1 * unit::TFLOP_per_s}};
  turing.dense_peak = {{Dtype::fp16, 1 * unit::TFLOP_per_s}};
  CHECK((ampere.computes_in(Dtype::bf16) && ampere.computes_in(Dtype::fp16)));
  CHECK((turing.computes_in(Dtype::fp16) && !turing.computes_in(Dtype::bf16)));
  CHECK_FALSE(ampere.computes_in(Dtype::fp8));
}

TEST_CASE("a published peak is taken before its stand-in") {
  Gpu gpu;
  gpu.dense_peak = {{Dtype::fp16, 2 * unit::TFLOP_per_s}, {Dtype::bf16, 1 * unit::TFLOP_per_s}};
  CHECK(gpu.peak(Dtype::bf16).in(unit::TFLOP_per_s) == Approx(1));
}
