#include "gpucap/training/step.hpp"

#include "support/catch.hpp"
#include "support/toy_training.hpp"

using namespace gpucap;
using namespace gpucap::training;

// The toy model, one sequence of 64 tokens. Weights that multiply: per layer qkv 64 x 128, o 64 x
// 64, gate and up 64 x 256, down 128 x 64 = 36,864; two layers 73,728; head 64,000; in all 137,728.

namespace {

/// Matrix products that only compute, at 1 GFLOP/s, and nothing else that takes time.
Question only_products() {
  Question question = toy::training_question();
  question.calibration.gemm = {1, 1e12, 0, 0, Seconds{}, {}};
  question.software.time.streams = 0;
  question.software.time.attention = 0;
  question.settings.optimizer = Optimizer::sgd;
  return question;
}

double ms(Seconds time) {
  return time.in(unit::ms);
}

}  // namespace

TEST_CASE("a step multiplies with each weight once forward and twice backward") {
  // 2 x 137,728 x 64 FLOP = 17.629 ms at 1 GFLOP/s.
  const StepTime step = training_step(only_products());
  CHECK(ms(step.forward) == Approx(17.629184));
  CHECK(ms(step.backward) == Approx(2 * 17.629184));
  CHECK(ms(step.recompute) == 0);
  CHECK(step.tokens == 64);
}

TEST_CASE("full recomputation repeats the layers but not the head") {
  // 2 x 73,728 x 64 FLOP = 9.437 ms.
  Question question = only_products();
  question.settings.recompute = Recompute::full;
  CHECK(ms(training_step(question).recompute) == Approx(9.437184));
}

TEST_CASE("frozen weights need no gradient of their own") {
  // Adapters of rank 1 on queries and values, per layer 64 + 64 and 64 + 32 = 224 weights, 448 in
  // all. Forward 2 x (137,728 + 448) x 64, backward 2 x (137,728 + 2 x 448) x 64.
  Question question = only_products();
  question.settings.method = Method::lora;
  question.settings.adapters.rank = 1;
  question.settings.adapters.targets = Adapters::Targets::query_value;
  const StepTime step = training_step(question);
  CHECK(ms(step.forward) == Approx(17.686528));
  CHECK(ms(step.backward) == Approx(17.743872));
}

TEST_CASE("FLOPs are counted as papers do") {
  // 6 x 137,728 + 6 L q s = 6 x 2 x 64 x 64 = 49,152 per token; recomputation adds the forward
  // pass of the layers, 2 x 73,728 + 2 x 2 x 64 x 64 = 163,840.
  Question question = only_products();
  question.settings.recompute = Recompute::full;
  const StepTime step = training_step(question);
  CHECK(step.model_flops.base() == Approx(64 * 875520.0));
  CHECK(step.hardware_flops.base() == Approx(64 * (875520.0 + 163840)));
}

TEST_CASE("an encoder sees all tokens and has no head") {
  // 6 x 73,728 + 12 x 2 x 64 x 64 = 540,672 per token.
  Question question = only_products();
  std::get<models::Transformer>(question.network).encoder = true;
  CHECK(training_step(question).model_flops.base() == Approx(64 * 540672.0));
}

TEST_CASE("backward attention takes two and a half times the forward one and an offset") {
  // Forward: 64 x 65 / 2 pairs x 4 heads x 2 (16 + 16) FLOP = 532,480 and 64 x (2 x 2 x 32 + 2 x 4
  // x 32) B = 24,576 at 1 GB/s; two layers 1.114112 ms. Backward x 2.5 x (1 + 32 / 64).
  Question question = only_products();
  question.calibration.gemm.ec = 1e12;
  question.calibration.sustained.share = 1e12;
  question.calibration.prefill.ec = 1;
  question.software.time.attention = 1;
  question.software.time.attention_backward_tokens = 32;
  const StepTime step = training_step(question);
  CHECK(ms(step.backward) / ms(step.forward) == Approx(3.75).epsilon(1e-6));
}

TEST_CASE("fused streams of a layer are its norms, rotation and activation") {
  // Per token and layer, h 64, q 64, k 32, f 128: forward 12 h + 3 (q + 2 k) + 6 f = 1,920 B,
  // backward 16 h + 3 (q + 2 k) + 14 f = 3,200 B; two layers; logits 2 x 1000 and 4 x 1000.
  // Forward 64 x 5,840 B = 0.37376 ms at 1 GB/s, twice that by a class that moves twice as much.
  Question question = only_products();
  question.calibration.gemm.ec = 1e12;
  question.calibration.sustained.share = 1e12;
  question.software.time.streams = 2;
  const StepTime step = training_step(question);
  CHECK(ms(step.forward) == Approx(2 * 0.37376).epsilon(1e-6));
  CHECK(ms(step.backward) == Approx(2 * 64 * (2 * 3200 + 4000) * 1e-6).epsilon(1e-6));
}

TEST_CASE("launches that take as long as the kernels lengthen a step by a quarter") {
  // Kernels 52.887552 ms; two layers, two passes at a quarter of that each: 2^(1/3) = 1.26.
  Question question = only_products();
  question.software.time.launch_per_layer = 52.887552 / 4 * unit::ms;
  const StepTime step = training_step(question);
  CHECK(ms(step.compute) == Approx(52.887552 * 1.259921));
  CHECK(ms(step.forward + step.backward) == Approx(ms(step.compute)));
}

TEST_CASE("a 4-bit base is widened in every pass") {
  // 73,728 weights x (0.5 + 0.0159 + 2) B at 1 GB/s, forward and backward.
  Question frozen = only_products();
  frozen.settings.method = Method::lora;
  Question widened = frozen;
  widened.settings.method = Method::qlora;
  const Seconds more = training_step(widened).compute - training_step(frozen).compute;
  CHECK(ms(more) == Approx(2 * 73728 * (2.5 + 1.0 / 64 + 4.0 / (64 * 256)) * 1e-6).epsilon(1e-4));
}

TEST_CASE("unfused attention moves forty bytes a score in 16 bits") {
  // 4 heads x 64 x 64 scores x two layers x (17 + 23) B = 1.31072 ms at 1 GB/s, besides the
  // products: over whole squares 4 heads x 64 x 64 x 2 x 16 x (2 + 4) FLOP x two layers.
  Question question = only_products();
  question.settings.attention = AttentionKernel::unfused;
  const Seconds products = training_step(question).compute;
  question.software.time.streams = 1;
  Question flash = question;
  flash.settings.attention = AttentionKernel::flash;
  const Seconds streams = training_step(flash).compute - training_step(only_products()).compute;
  const Seconds scores = training_step(question).compute - products - streams;
  CHECK(ms(scores) == Approx(1.31072).epsilon(1e-6));
  CHECK(ms(products) - 52.887552 == Approx(2 * 4 * 64 * 64 * 32 * 6 * 1e-6).epsilon(1e-4));
}

TEST_CASE("gradients cross the links once a step and hide behind compute by their share") {
  // Two cards: all-reduce of 2 B x weights = 2 x 1/2 x that over PCIe 3 x16, all of it shown.
  Question question = only_products();
  question.node.count = question.layout.data = 2;
  question.settings.grad_accum = 3;
  const double weights = static_cast<double>(models::parameters(toy::model()));
  const Seconds whole = 2 * weights * unit::byte / (16 * 128.0 / 130 * unit::GB_per_s);
  CHECK(training_step(question).communication / whole == Approx(1).epsilon(1e-6));
  question.software.time.exchange_overlap = 0.75;
  CHECK(training_step(question).communication / whole == Approx(0.25).epsilon(1e-6));
}

TEST_CASE("two pipeline stages wait for one micro-batch of the slower one") {
  // The second stage has a layer and the head: 3 x 2 x (36,864 + 64,000) x 64 FLOP = 38.731776 ms.
  Question question = only_products();
  question.node.count = question.layout.pipeline = 2;
  question.settings.grad_accum = 4;
  const StepTime step = training_step(question);
  CHECK(ms(step.compute) == Approx(4 * 38.731776));
  CHECK(ms(step.bubble) == Approx(38.731776).epsilon(1e-2));
}
