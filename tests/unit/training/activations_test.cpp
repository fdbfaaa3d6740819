#include "gpucap/training/memory.hpp"

#include "support/catch.hpp"
#include "training_jobs.hpp"

using namespace gpucap;
using namespace gpucap::test;
using training::Recompute;
using training::training_footprint;

namespace {

/// h 64, f 256, 4 heads of 16, 8 layers, 10 tokens, vocabulary of 100.
models::Transformer small(bool gated = false) {
  auto model = transformer({"small", 8, 64, 256, 4, 4, 16, 100, 4096});
  model.gated_mlp = gated;
  return model;
}

training::Question small_job(bool gated = false) {
  auto question = training_job(small(gated));
  question.settings.seq_len = 10;
  return question;
}

double kept(const training::Question& question) {
  return term(training_footprint(question), "kept_activations").base();
}

// 8h + 2(q + 2k) + 2q + 4f = 512 + 384 + 128 + 1,024 and 4a + 8 = 24.
constexpr double fused_layer = 2072;

}  // namespace

TEST_CASE("fused kernels keep 32 h and statistics, 34 h with dropout, 6 f for a gate") {
  CHECK(kept(small_job()) == 8 * 10 * fused_layer);
  auto dropout = small_job();
  std::get<models::Transformer>(dropout.network).linear_bias = true;
  CHECK(kept(dropout) == 8 * 10 * (fused_layer + 2 * 64));
  CHECK(kept(small_job(true)) == 8 * 10 * (fused_layer + 2 * 256));
}

TEST_CASE("attention that writes its scores keeps 5 a s more, which selective recompute drops") {
  auto question = small_job();
  question.settings.attention = training::AttentionKernel::unfused;
  CHECK(kept(question) == 8 * 10 * (fused_layer + 5 * 4 * 10));
  question.settings.recompute = Recompute::selective;
  CHECK(kept(question) == 8 * 10 * fused_layer);
  CHECK(term(training_footprint(question), "recomputed_layer").base() == 10 * 5.0 * 4 * 10);
}

TEST_CASE("full recompute keeps layer inputs and one layer") {
  auto question = small_job();
  question.settings.recompute = Recompute::full;
  const auto f = training_footprint(question);
  CHECK(term(f, "kept_activations").base() == 8 * 10 * 2 * 64);
  CHECK(term(f, "recomputed_layer").base() == 10 * (fused_layer - 2 * 64));
  CHECK(term(f, "backward_temporaries").base() == 10 * 2 * 2 * 256);
}

TEST_CASE("eager code keeps norms in fp32, rotated queries and keys, and the gate's activation") {
  auto question = small_job(true);
  question.software.memory.fused_activations = false;
  // 16h + 2(q+2k) + 2(q+k) + 2q + 4a + 2h + 8f + 8 = 1,024 + 384 + 256 + 128 + 16 + 128 + 2,048 + 8
  CHECK(kept(question) == 8 * 10 * 3992.0);
  question.settings.method = training::Method::lora;
  // 8h + 384 + 256 + 128 + 16 + 6f + 8 = 2,840; adapters keep 2 B and a mask of each input:
  // 3 x (q, k, v, o, gate, up: 6 x 64, down: 256) = 1,920.
  CHECK(kept(question) == 8 * 10 * (2840.0 + 1920));
  question.settings.adapters.dropout = false;
  CHECK(kept(question) == 8 * 10 * (2840.0 + 1280));
  // bitsandbytes 0.41 keeps four distinct inputs besides: 2 x (3 x 64 + 256).
  question.settings.method = training::Method::qlora;
  question.software.memory.quantised_inputs = true;
  CHECK(kept(question) == 8 * 10 * (2840.0 + 1280 + 896));
}

TEST_CASE("tensor parallelism cuts attention and MLP, sequence parallelism the rest as well") {
  auto question = small_job();
  question.node.count = 2;
  question.layout.data = 1;
  question.layout.tensor = 2;
  CHECK(kept(question) == 8 * 10 * fused_layer / 2);
  question.layout.sequence_parallel = false;
  // 8h + 8 = 520 stay whole.
  CHECK(kept(question) == 8 * 10 * ((fused_layer - 520) / 2 + 520));
  question.layout.tensor = 1;
  question.layout.context = 2;
  CHECK(kept(question) == 8 * 5 * fused_layer);
}

TEST_CASE("the first of four stages keeps four micro-batches, 5.5 when interleaved twice") {
  auto question = small_job();
  question.node.count = 4;
  question.layout.data = 1;
  question.layout.pipeline = 4;
  question.settings.grad_accum = 8;
  // Embeddings are small and equal on both ends; two layers a stage.
  CHECK(kept(question) == 4 * 2 * 10 * fused_layer);
  question.layout.interleave = 2;  // 2 x 3 + 4 + 1 = 11 chunks of half a stage
  CHECK(kept(question) == 5.5 * 2 * 10 * fused_layer);
  question.settings.grad_accum = 2;
  CHECK(kept(question) == 2 * 2 * 10 * fused_layer);
}

TEST_CASE("logits and the layers' backward pass exclude each other") {
  auto question = training_job(transformer(llama_31_8b));
  question.settings.recompute = Recompute::full;
  question.settings.seq_len = 4096;
  question.software.memory.bytes_per_logit = 14;
  const auto f = training_footprint(question);
  // 14 x 4,096 x 128,256 = 7.36 GB (1.80 MB a token); all checkpoints 0.26 MB a token.
  CHECK(term(f, "logits").in(unit::MB) / 4096 == Approx(1.80).margin(0.01));
  CHECK(term(f, "kept_activations").in(unit::MB) / 4096 == Approx(0.262).margin(0.001));
  CHECK(term(f, "recomputed_layer") == Bytes{});
  CHECK(f.activations == term(f, "logits") + term(f, "kept_activations"));
}

TEST_CASE("an encoder has no logits, and a mixture keeps what its chosen experts compute") {
  auto question = small_job();
  std::get<models::Transformer>(question.network).encoder = true;
  question.software.memory.bytes_per_logit = 1e6;
  CHECK(term(training_footprint(question), "logits") == Bytes{});

  auto moe = small_job(true);
  auto& model = std::get<models::Transformer>(moe.network);
  model.experts = models::Experts{8, 2, 0, 128, 0, 0, 0, false, false};
  // 6 x (2 x 128) for 6 x 256: the same; two copies in and out of 64 x 2 B each; 8 x 8 B of router.
  CHECK(kept(moe) == 8 * 10 * (fused_layer + 2 * 256 + 4 * 2 * 64 + 64));
}

TEST_CASE("latent attention keeps expanded heads and its latents") {
  auto question = small_job();
  auto& model = std::get<models::Transformer>(question.network);
  model.latent = models::LatentAttention{0, 32, 16, 8, 16};
  // q and k are 4 x 24, v and output 4 x 16: 2 x 320 for 2 x 256; latents 2 x 2 x (32 + 8).
  CHECK(kept(question) == 8 * 10 * (fused_layer + 2 * 64 + 160));
}
