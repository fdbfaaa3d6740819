#include "gpucap/perf/kernel.hpp"

#include "support/catch.hpp"

using namespace gpucap;
using namespace gpucap::perf;

namespace {
const Card card{100 * unit::TFLOP_per_s, 1000 * unit::GB_per_s, 100};
}

TEST_CASE("a product at equal compute and memory time costs t0 plus that time times 2^(1/p)") {
  // m = n = k = 1000: 2e9 FLOP at 100 TFLOP/s = 20 us; 6e6 bytes at 0.3 of 1 TB/s = 20 us.
  const GemmFit fit{1, 0.3, 2, 5 * unit::us};
  const Work work = gemm(fit, card, {1000, 1000, 1000, 2, 2});
  CHECK(work.time().in(unit::us) == Approx(5 + 20 * std::sqrt(2)));
  CHECK(work.flops.in(unit::flop) == Approx(2e9));
  CHECK(work.bytes.in(unit::byte) == Approx(6e6));
}

TEST_CASE("time goes to the larger ceiling") {
  const GemmFit fit{1, 1, 2, Seconds{}};
  const auto cause_of = [](const Work& work, Cause cause) {
    return work.by_cause[static_cast<std::size_t>(cause)].base() > 0;
  };
  CHECK(cause_of(gemm(fit, card, {1, 4096, 4096}), Cause::memory_bandwidth));
  CHECK(cause_of(gemm(fit, card, {4096, 4096, 4096}), Cause::compute));
}

TEST_CASE("a causal chunk of q new tokens over kv has q kv - q (q - 1) / 2 pairs") {
  CHECK(causal_pairs({4, 4}) == 10);   // 1 + 2 + 3 + 4
  CHECK(causal_pairs({2, 10}) == 19);  // 9 + 10
}

TEST_CASE("decode attention reads the KV cache once and is affine in sum and maximum") {
  DecodeAttentionFit fit;
  fit.eb = 0.5;
  fit.t0 = 10 * unit::us;
  fit.per_sequence_head = 10 * unit::ns;
  fit.per_64_kv = 64 * unit::ns;
  // 8 KV heads of 128: 4096 bytes per token; at 500 GB/s 8.192 ns.
  const AttentionShape shape{32, 8, 128, 128, 4096};
  const DecodeAttentionCost cost = decode_attention(fit, card, shape, 4);
  CHECK(cost.fixed.in(unit::us) == Approx(10 + 4 * 8 * 0.01));
  CHECK(cost.per_sum_token.in(unit::ns) == Approx(8.192));
  CHECK(cost.per_max_token.in(unit::ns) == Approx(1));
}

TEST_CASE("unequal lengths cost more only once KV is not split") {
  DecodeAttentionFit fit;
  fit.eb = 1;
  fit.skew = 0.1;
  fit.unsplit_share_of_sms = 0.8;  // of 100 SMs: from 80 = 10 sequences x 8 heads
  const AttentionShape shape{32, 8, 128, 128, 4096};
  CHECK(decode_attention(fit, card, shape, 9).per_max_token.base() == 0);
  CHECK(decode_attention(fit, card, shape, 10).per_max_token.base() > 0);
  // Equal contexts c: sum + alpha (n max - sum) = n c, whatever alpha.
  const auto cost = decode_attention(fit, card, shape, 10);
  const Seconds equal = cost.per_sum_token * 1000 + cost.per_max_token * 100;
  CHECK(equal.in(unit::ns) == Approx(1000 * 4.096));
}

TEST_CASE("a ring all-reduce sends 2 (n - 1) / n of the payload") {
  CollectiveFit fit;
  fit.ranks = 4;
  fit.busbw = 10 * unit::GB_per_s;
  const Work work = all_reduce(fit, 20 * unit::MB);
  CHECK(work.time().in(unit::ms) == Approx(3));  // 30 MB at 10 GB/s
  CHECK(work.link_bytes.in(unit::MB) == Approx(30));
  CHECK(all_gather(fit, 20 * unit::MB).time().in(unit::ms) == Approx(1.5));
}

TEST_CASE("experts: one token reads its chosen ones, many tokens read them all") {
  const ExpertFit fit{{1, 1, 8, Seconds{}}, 0, {}, 0};
  ExpertShape shape{1, 1024, 512, 8, 2, 2};
  const double one_expert = 3 * 1024 * 512 * 2;
  CHECK(routed_experts(fit, card, shape).bytes.base() == Approx(2 * one_expert).epsilon(0.01));
  shape.tokens = 1000;
  const Bytes many = routed_experts(fit, card, shape).bytes;
  CHECK(many.base() > 8 * one_expert);
  // Arithmetic is that of the chosen experts only: 2 x 2 experts x 3 x 1024 x 512 per token.
  CHECK(routed_experts(fit, card, shape).flops.base() == Approx(1000.0 * 2 * 2 * 3 * 1024 * 512));
}

TEST_CASE("an encoder's tokens see each other both ways: q kv pairs, not half") {
  PrefillAttentionFit fit;
  fit.ec = fit.eb = 1;
  AttentionShape shape{32, 32, 128, 128, 16384};
  const Chunk whole[] = {{512, 512}};
  const double causal = prefill_attention(fit, card, shape, whole).flops.base();
  shape.causal = false;
  // 512 x 512 against 512 x 513 / 2.
  CHECK(prefill_attention(fit, card, shape, whole).flops.base() / causal ==
        Approx(2 * 512.0 / 513));
}

TEST_CASE("chunks and decodes in one launch cost more than apart") {
  Calibration calibration;
  calibration.prefill.ec = calibration.prefill.eb = 0.8;
  calibration.decode.eb = 0.9;
  MixedAttentionFit mixed;
  mixed.prefill_rate = 0.8;
  mixed.decode_rate = 0.7;
  mixed.spill_threshold = 1 * unit::GB;
  mixed.chain_exponent = 1.5;
  mixed.memory_exponent = 6;
  calibration.mixed = mixed;
  const AttentionShape shape{32, 8, 128, 128, 4096};
  const Chunk chunk[] = {{512, 512}};
  const Work apart = prefill_attention(calibration.prefill, card, shape, chunk);
  const auto decode = decode_attention(calibration.decode, card, shape, 64);
  const Seconds decode_time =
      decode.fixed + decode.per_sum_token * (64 * 1024) + decode.per_max_token * 1024;
  const Work together = mixed_attention(calibration, card, shape, chunk, {64, 64 * 1024, 1024});
  CHECK(together.time() > apart.time() + decode_time);
}

TEST_CASE("a prefill launch moves queries and outputs besides keys and values") {
  // 512 tokens: 32 heads x (128 + 128) x 2 B = 16,384 B of queries and outputs, 4,096 B of KV each.
  PrefillAttentionFit fit;
  fit.ec = fit.eb = 1;
  const Card card{100 * unit::TFLOP_per_s, 1000 * unit::GB_per_s, 100};
  const Chunk chunk[] = {{512, 512}};
  const Work work = prefill_attention(fit, card, {32, 8, 128, 128, 4096}, chunk);
  CHECK(work.bytes.in(unit::byte) == Approx(512 * (16384 + 4096)));
}
