#include "samples.hpp"
#include "support/catch.hpp"

using namespace gpucap;
using namespace gpucap::models;

namespace {
constexpr double gib = 1024.0 * 1024 * 1024;

double gib_of(const Transformer& m, const std::string& format, int tp, int pp) {
  return weight_bytes(m, *weight_format(m, format), tp, pp) / gib;
}
}  // namespace

TEST_CASE("KV bytes count KV heads, an explicit head size and the KV dtype") {
  // 2 x 8 heads x 128 x 2 B x 32 layers.
  CHECK(kv_bytes_per_token(llama_8b(), Dtype::bf16, 1) == 131072);
  CHECK(kv_bytes_per_token(llama_8b(), Dtype::fp8, 1) == 65536);
  CHECK(kv_bytes_per_token(llama_8b(), Dtype::bf16, 2) == 65536);
  // 16 cards and 8 KV heads: one head each, not half of one.
  CHECK(kv_bytes_per_token(llama_8b(), Dtype::bf16, 16) == 131072 / 8);
  // hidden 2048 with 32 heads and 4 KV heads of 128: 2048 B a layer; hidden / heads gives 1024.
  auto wide = llama_8b();
  wide.hidden = 2048;
  wide.kv_heads = 4;
  CHECK(kv_bytes_per_token_and_layer(wide, Dtype::bf16, 1) == 2048);
}

TEST_CASE("a latent is one vector for keys and values and every rank holds it whole") {
  CHECK(kv_bytes_per_token_and_layer(latent(), Dtype::bf16, 1) == 576 * 2);
  CHECK(kv_bytes_per_token_and_layer(latent(), Dtype::bf16, 4) == 576 * 2);
}

TEST_CASE("window layers stop growing at the window, the others do not") {
  // 48 layers, 40 of them with a window of 1024, 8 KV heads of 128, 2 B, 32768 tokens:
  // (8 x 32768 + 40 x 1024) x 4096 B = 1.156 GiB; 6 GiB without the window.
  auto m = llama_8b();
  m.layers = 48;
  m.sliding_window = 1024;
  m.sliding_layers = 40;
  CHECK(static_cast<double>(kv_bytes_of_sequence(m, Dtype::bf16, 1, 32768)) / gib ==
        Approx(1.15625));
  CHECK(kv_bytes_of_sequence(m, Dtype::bf16, 1, 1000) ==
        1000 * kv_bytes_per_token(m, Dtype::bf16, 1));
  m.sliding_window.reset();
  CHECK(static_cast<double>(kv_bytes_of_sequence(m, Dtype::bf16, 1, 32768)) / gib == Approx(6));
}

TEST_CASE("recurrent layers keep no KV but a fixed state per sequence") {
  const auto m = small_hybrid();
  CHECK(kv_bytes_per_token(m, Dtype::bf16, 1) == 2 * 4096);
  CHECK(recurrent_state_bytes(m, 1) == 6000);
  CHECK(recurrent_state_bytes(m, 2) == 3000);
  CHECK(kv_bytes_of_sequence(m, Dtype::bf16, 1, 10) == 10 * 8192 + 6000);
}

TEST_CASE("the weights of Llama-3.1-8B are 14.96 GiB and its rotary tables 32 MiB") {
  CHECK(gib_of(llama_8b(), "bf16", 1, 1) == Approx(8030261248 * 2 / gib));
  CHECK(gib_of(llama_8b(), "bf16", 1, 1) == Approx(14.96).margin(0.005));
  CHECK(rotary_table_bytes(llama_8b()) == 32 * 1024 * 1024);
}

TEST_CASE("a tensor split halves matrices and vocabulary and replicates norms") {
  // Two ranks hold the whole once and the 65 norms of 4096 twice.
  const auto m = llama_8b();
  const auto format = *weight_format(m, "bf16");
  CHECK(2 * weight_bytes(m, format, 2, 1) - weight_bytes(m, format, 1, 1) == 65 * 4096 * 2);
}

TEST_CASE("pipeline stages hold the whole model once, tied vocabularies twice") {
  auto m = llama_8b();
  const auto format = *weight_format(m, "bf16");
  const auto sum = [&] {
    double bytes = 0;
    for (const auto& stage : pipeline_stages(m, 3)) {
      bytes += weight_bytes_on_stage(m, format, 1, stage);
    }
    return bytes;
  };
  CHECK(sum() == weight_bytes(m, format, 1, 1));
  m.tied_embeddings = true;
  CHECK(sum() - weight_bytes(m, format, 1, 1) == 128256.0 * 4096 * 2);
}

TEST_CASE("quantised matrices shrink, embeddings, head and norms do not") {
  // Matrices 32 x 218,103,808; the rest 1,050,673,152 + 65 x 4096 weights of 2 B.
  const double matrices = 32.0 * 218103808;
  const double rest = (2 * 525336576.0 + 65 * 4096) * 2;
  const auto m = llama_8b();
  CHECK(gib_of(m, "fp8", 1, 1) * gib == Approx(matrices + rest));
  CHECK(gib_of(m, "fp8-block", 1, 1) * gib == Approx(matrices * (1 + 4.0 / 16384) + rest));
  // Group of 128: 64 B of weights, 2 B scale, 0.5 B zero point.
  CHECK(gib_of(m, "int4-awq", 1, 1) * gib == Approx(matrices * 66.5 / 128 + rest));
  CHECK(gib_of(m, "nf4", 1, 1) * gib == Approx(matrices * (4 + 0.127) / 8 + rest).epsilon(1e-4));
  CHECK(gib_of(m, "fp32", 1, 1) == Approx(2 * gib_of(m, "bf16", 1, 1)));
}

TEST_CASE("experts shrink, the router does not") {
  const auto m = small_mixture();
  const double saved = weight_bytes(m, *weight_format(m, "bf16"), 1, 1) -
                       weight_bytes(m, *weight_format(m, "fp8"), 1, 1);
  // 4 attentions of 4 x 1024^2, one MLP of 3 x 1024 x 2048, 24 experts: one byte less each.
  CHECK(saved == 4 * 4 * 1024 * 1024 + 3 * 1024 * 2048 + 24 * 3 * 1024 * 4096.0);
}

TEST_CASE("formats are known by name, auto is what the checkpoint has") {
  auto m = llama_8b();
  CHECK(weight_format(m, "auto")->name == "bf16");
  CHECK_FALSE(weight_format(m, "int5").has_value());
  for (const auto& name : weight_format_names()) CHECK(weight_format(m, name).has_value());
  m.quantization = fp8_block_format(128);
  CHECK(weight_format(m, "auto")->name == "fp8-block");
  CHECK(weight_format(m, "int8-w8a8")->compute == Dtype::int8);
  CHECK(weight_format(m, "int8")->compute == Dtype::bf16);
}

TEST_CASE("a Q4_K_M file has the size that llama.cpp shows for it") {
  // 4.5 bits; 6.5625 in the head and in the values and down-projections of 16 of 32 layers: 4.92e9
  // bytes for Llama-3-8B, shown as 4.58 GiB.
  CHECK(gib_of(llama_8b(), "q4_k_m", 1, 1) == Approx(4.58).margin(0.006));
  // 8.5 bits throughout, and 65 norms of 4096: 7.95 GiB.
  CHECK(gib_of(llama_8b(), "q8_0", 1, 1) * gib ==
        Approx((parameters(llama_8b()) - 65 * 4096) * 8.5 / 8 + 65 * 4096 * 2));
  auto large = llama_8b();
  large.layers = 80;
  large.hidden = 8192;
  large.ffn = 28672;
  large.heads = 64;
  // Shown as 39.59 GiB.
  CHECK(gib_of(large, "q4_k_m", 1, 1) == Approx(39.59).epsilon(0.003));
}

TEST_CASE("MXFP4 shrinks the experts only: 4.25 bits each") {
  const auto m = small_mixture();
  const double saved = weight_bytes(m, *weight_format(m, "bf16"), 1, 1) -
                       weight_bytes(m, *weight_format(m, "mxfp4"), 1, 1);
  CHECK(saved == Approx(24 * 3 * 1024 * 4096.0 * (16 - 4.25) / 8));
}

TEST_CASE("experts that are dealt out whole weigh what fits the fullest rank") {
  const auto m = small_mixture();
  const auto format = *weight_format(m, "bf16");
  const auto whole = pipeline_stages(m, 1).front();
  const double one = 3 * 1024 * 4096.0 * 2;
  // 3 layers: of 8 experts over 4 ranks 2 whole ones or a quarter of each; over 3 ranks 3.
  CHECK(weight_bytes_on_stage(m, format, 4, whole, true) ==
        weight_bytes_on_stage(m, format, 4, whole, false));
  CHECK_FALSE(tensor_parallel_problem(m, 8, true).has_value());
  CHECK(tensor_parallel_problem(m, 16, true).has_value());
  const double rest = weight_bytes_on_stage(m, format, 8, whole, true) - 3 * one;
  CHECK(rest > 0);
  CHECK(rest < 3 * one);
}

TEST_CASE("an encoder has no KV cache and one table of words") {
  auto m = llama_8b();
  const double decoder = gib_of(m, "bf16", 1, 1) * gib;
  m.encoder = true;
  CHECK(kv_bytes_per_token(m, Dtype::bf16, 1) == 0);
  // Less the head and the final norm.
  CHECK(decoder - gib_of(m, "bf16", 1, 1) * gib == 2.0 * (525336576 + 4096));
  CHECK(matmul_parameters(m) == 32LL * 218103808);
}
