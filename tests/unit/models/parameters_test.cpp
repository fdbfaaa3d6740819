#include "samples.hpp"
#include "support/catch.hpp"

using namespace gpucap::models;

TEST_CASE("the parameters of Llama-3.1-8B follow from its shapes by hand") {
  // One layer: qkv 4096 x 6144 + o 4096 x 4096 + MLP 3 x 4096 x 14336 + 2 norms of 4096
  //          = 25,165,824 + 16,777,216 + 176,160,768 + 8,192 = 218,112,000
  // 32 layers 6,979,584,000 + embedding and head 2 x 525,336,576 + final norm 4,096.
  CHECK(parameters(llama_8b()) == 8030261248);
  CHECK(active_parameters(llama_8b()) == parameters(llama_8b()));
}

TEST_CASE("tying removes one copy of the vocabulary from the count and none from the products") {
  auto tied = llama_8b();
  tied.tied_embeddings = true;
  CHECK(parameters(llama_8b()) - parameters(tied) == 128256 * 4096);
  CHECK(matmul_parameters(tied) == matmul_parameters(llama_8b()));
  // All but the embedding look-up and the 65 norms of 4096.
  CHECK(matmul_parameters(llama_8b()) == 8030261248 - 525336576 - 65 * 4096);
}

TEST_CASE("a token passes through the chosen experts only, memory holds all of them") {
  // 3 sparse layers x (8 - 2) experts x 3 x 1024 x 4096.
  const auto m = small_mixture();
  CHECK(parameters(m) - active_parameters(m) == 3 * 6 * 3 * 1024 * 4096);
}

TEST_CASE("the router bias and the gate of a shared expert count once per sparse layer") {
  auto m = small_mixture();
  const auto plain = parameters(m);
  m.experts->router_bias = 1;
  CHECK(parameters(m) - plain == 3 * 8);
  m.experts->shared = 1;
  m.experts->shared_ffn = 512;
  m.experts->shared_gate = true;
  CHECK(parameters(m) - plain == 3 * 8 + 3 * (3 * 1024 * 512 + 1024));
}

TEST_CASE("GPT biases, positions and two-part norms are counted") {
  Transformer m = llama_8b();
  m.layers = 1;
  m.kv_heads = m.heads;
  m.ffn = 4 * m.hidden;
  m.gated_mlp = false;
  m.linear_bias = m.norm_bias = m.learned_positions = m.tied_embeddings = true;
  m.max_positions = 2048;
  // Matrices 12 h^2; biases 3h + h + 4h + h = 9h; norms 3 x 2h; positions 2048 h.
  const std::int64_t h = 4096;
  CHECK(parameters(m) == 12 * h * h + 9 * h + 6 * h + 2048 * h + 128256 * h);
}
