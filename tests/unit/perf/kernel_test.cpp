#include "gpucap/perf/kernel.hpp"

#include "support/catch.hpp"

using namespace gpucap;
using namespace gpucap::perf;

namespace {
const Card card{100 * unit::TFLOP_per_s, 1000 * unit::GB_per_s, 100};
}

TEST_CASE("a product costs t0, the longer of arithmetic and traffic, and a share of the other") {
  // m = n = k = 1000: 2e9 FLOP at 100 TFLOP/s = 20 us; 6e6 bytes at 0.5 of 1 TB/s = 12 us, at 0.1
  // of it 60 us.
  GemmFit fit{1, 0.5, 0.125, 0.25, 5 * unit::us, {}};
  const Work work = gemm(fit, card, {1000, 1000, 1000, 2, 2});
  CHECK(work.time().in(unit::us) == Approx(5 + 20 + 0.25 * 12));
  fit.eb = 0.1;
  CHECK(gemm(fit, card, {1000, 1000, 1000}).time().in(unit::us) == Approx(5 + 60 + 0.125 * 20));
  CHECK(work.flops.in(unit::flop) == Approx(2e9));
  CHECK(work.bytes.in(unit::byte) == Approx(6e6));
}

TEST_CASE("time goes to the larger ceiling") {
  const GemmFit fit{1, 1, 0, 0, Seconds{}, {}};
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
  fit.per_sequence_query_head = 1 * unit::ns;
  fit.per_64_kv = 64 * unit::ns;
  // 8 KV heads of 128: 4096 bytes per token; at 500 GB/s 8.192 ns.
  const AttentionShape shape{32, 8, 128, 128, 4096};
  const DecodeAttentionCost cost = decode_attention(fit, card, shape, 4);
  CHECK(cost.fixed.in(unit::us) == Approx(10 + 4 * 8 * 0.01 + 4 * 32 * 0.001));
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

TEST_CASE("the other collectives send (n - 1) / n of the payload, a pair all of it") {
  CollectiveFit fit;
  fit.ranks = 4;
  fit.busbw = 10 * unit::GB_per_s;
  // No start cost. 3/4 of 20 MB at 10 GB/s: 1.5 ms; 20 MB: 2 ms.
  CHECK(reduce_scatter(fit, 20 * unit::MB).time().in(unit::ms) == Approx(1.5));
  CHECK(all_to_all(fit, 20 * unit::MB).time().in(unit::ms) == Approx(1.5));
  CHECK(all_to_all(fit, 20 * unit::MB).link_bytes.in(unit::MB) == Approx(15));
  CHECK(send_recv(fit, 20 * unit::MB).time().in(unit::ms) == Approx(2));
}

TEST_CASE("experts: one token reads its chosen ones, many tokens read them all") {
  const GemmFit fit{1, 1, 0, 0, Seconds{}, {}};
  ExpertShape shape{1, 1024, 512, 8, 2, 2};
  const double one_expert = 3 * 1024 * 512 * 2;
  CHECK(routed_experts(fit, card, shape).bytes.base() == Approx(2 * one_expert).epsilon(0.01));
  shape.tokens = 1000;
  const Bytes many = routed_experts(fit, card, shape).bytes;
  CHECK(many.base() > 8 * one_expert);
  // Arithmetic is that of the chosen experts only: 2 x 2 experts x 3 x 1024 x 512 per token.
  CHECK(routed_experts(fit, card, shape).flops.base() == Approx(1000.0 * 2 * 2 * 3 * 1024 * 512));
}

TEST_CASE("chunks and decodes in one launch cost more than apart") {
  Calibration calibration;
  calibration.prefill.ec = calibration.prefill.eb = 0.8;
  calibration.decode.eb = 0.9;
  MixedAttentionFit mixed;
  mixed.prefill_rate = mixed.eb = 0.8;
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

TEST_CASE("query rows are padded to whole tiles, and each row costs an offset of KV") {
  // 100 new tokens over 1,000: pairs / q = 1000 - 99 / 2 = 950.5 KV per row, 49.5 more: 1,000.
  // 128 padded rows x 1,000 x 4 x 32 x 128 FLOP = 2.097e9 at 50 TFLOP/s: 41.94 us.
  PrefillAttentionFit fit;
  fit.ec = 0.5;
  fit.eb = 1;
  fit.row_tile = 64;
  fit.query_offset = 49.5;
  const AttentionShape shape{32, 8, 128, 128, 4096};
  const Chunk chunk[] = {{100, 1000}};
  const double read_us = (1000 * 4096 + 100 * 16384) / 1e6;  // at 1 TB/s
  CHECK(prefill_attention(fit, card, shape, chunk).time().in(unit::us) ==
        Approx(128 * 1000 * 4 * 32 * 128 / 50e6 + read_us));
  // Packed by groups of 4 heads: 400 rows are 7 tiles, 448 rows for 4 heads, 112 for each.
  fit.packs_group = true;
  CHECK(prefill_attention(fit, card, shape, chunk).time().in(unit::us) ==
        Approx(112 * 1000 * 4 * 32 * 128 / 50e6 + read_us));
}

TEST_CASE("one query tile alone runs at the rate of one SM") {
  // 1 token over 10,000: a tile of 64 rows of one head: 64 x 10,000 x 512 = 3.277e8 FLOP on one of
  // 100 SMs at 1 TFLOP/s each: 327.7 us; the 32 tiles spread over the card take 104.9 us.
  PrefillAttentionFit fit;
  fit.ec = fit.eb = fit.serial = 1;
  fit.row_tile = 64;
  fit.exposed = 0.5;
  const AttentionShape shape{32, 8, 128, 128, 0};
  const Chunk chunk[] = {{1, 10000}};
  const double tile = 64.0 * 10000 * 512;
  CHECK(prefill_attention(fit, card, shape, chunk).time().in(unit::us) ==
        Approx(tile / 1e6 + 0.5 * 32 * tile / 100e6 + 16384 / 1e6));
}

TEST_CASE("the power cap bounds attention of a prompt, not of decodes") {
  PrefillAttentionFit fit;
  fit.ec = 0.8;
  fit.eb = 1;
  Card capped = card;
  capped.sustained = 0.4;
  const AttentionShape shape{32, 8, 128, 128, 0};
  const Chunk chunk[] = {{4096, 4096}};
  const Seconds free = prefill_attention(fit, card, shape, chunk).time();
  const Seconds held = prefill_attention(fit, capped, shape, chunk).time();
  const double read_us = 4096 * 16384 / 1e6;
  CHECK(held.in(unit::us)-read_us == Approx(2 * (free.in(unit::us)-read_us)));
}
